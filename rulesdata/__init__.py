"""The rule books: packs of YAML files, their shape, and the rows and engine values made from them."""
