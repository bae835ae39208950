"""The only writers of people, clubs, memberships and one-time links."""
