"""Programs that act for a person: their tokens, scopes, and the page that lists them."""
