"""How records of a store become sessions, turns, steps and attempts: one room per framework, one protocol.

A store knows nothing of frameworks, and the model nothing of either: ``registry`` hands records to the
framework that wrote them. ``workflow`` holds what eve, plain Workflow SDK apps and the Python SDK share (the
event log of the Workflow SDK and eve's session stream in it); ``flue`` reads Flue's record streams and shares
nothing with the others but the model (import-linter holds that).
"""
