"""What happened and why, as plain data."""
