"""The outside world of the workshop: what tools act on, with the manners of the real ones."""
