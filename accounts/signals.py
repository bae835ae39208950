"""What this app tells those to its left, which it may not import."""

from django.dispatch import Signal

# Somebody who stored things without an account has signed in: hand over what belongs to `key`.
# Arguments: key (str), user (accounts.User), request (HttpRequest).
owner_claimed = Signal()

# An account is about to be deleted, inside the same transaction: delete or let go of what is
# theirs.
# Arguments: user (accounts.User).
account_closing = Signal()

# Somebody asks what deleting their account means: each receiver returns sentences about what is
# theirs (a list of str).
# Arguments: user_id (int).
account_closing_asked = Signal()

# Somebody is about to leave a club, by themselves or not, inside the same transaction: take back
# what they shared with it.
# Arguments: club_id (int), user_id (int).
membership_ended = Signal()
