"""The outside's own record of what really happened, joined to the effects."""
