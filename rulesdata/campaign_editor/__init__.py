"""Campaign rules as pages of fields: how they are typed, checked and compared."""
