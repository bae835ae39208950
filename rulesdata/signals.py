"""What this app tells those to its left, which it may not import."""

from django.dispatch import Signal

# The rule books were loaded and a file of theirs had changed: what was worked out from them may be
# different now.
packs_changed = Signal()

# What a person's scenario waives has changed. Arguments: key (str), as warbands carry it.
scenario_changed = Signal()

# A club's own list has changed. Arguments: before and after (OwnList); sent within the transaction
# that changes it.
own_list_changed = Signal()
