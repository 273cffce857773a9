"""The shift report: what happened in a period, what it cost, what is open; as Markdown or one HTML page."""
