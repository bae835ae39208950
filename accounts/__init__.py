"""People and clubs: accounts, membership, and who owns what was made without an account."""
