"""What a crash test says: as lines for the terminal, as JSON, as JUnit XML, as one HTML page."""
