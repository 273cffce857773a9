"""The durable writes of a session in order."""
