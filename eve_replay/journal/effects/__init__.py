"""Which calls are one effect, how often each was executed, and how it is protected against a repeat."""
