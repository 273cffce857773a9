"""The workshop: a small durable runtime that breaks a tool at every point, and the lessons on it."""
