"""A session in the forms of other tools: spans for trace viewers (Perfetto, OTLP)."""
