"""Whether an answer holds: promises, the check, and what notebooks, progress files and classes say of it."""
