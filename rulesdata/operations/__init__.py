"""The only writers of the rule books: the load of the packs, the scenarios of people, and what
clubs write.
"""
