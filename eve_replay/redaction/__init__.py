"""Taking secrets out of records without changing their shape; a room of its own, not a store."""
