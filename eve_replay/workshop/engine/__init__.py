"""The durable runtime of the workshop: one run under a schedule of faults, and the search over all."""
