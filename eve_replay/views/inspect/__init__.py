"""One thing on a screen: a record, a payload, a value, its evidence."""
