"""How each framework's sessions are read for recovery: what lies there, where a crash hits, whose rules."""
