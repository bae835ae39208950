"""The rule books: packs of YAML files, and the rows and engine values made from them."""
