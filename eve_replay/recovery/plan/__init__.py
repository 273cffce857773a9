"""A recorded session as what a crash can interrupt: its steps, effects and their order."""
