"""The only writers of battles: one verb, one transaction, one lock. `ledger` says how."""
