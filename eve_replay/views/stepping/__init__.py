"""Walking a session moment by moment, each as it was then: what breakpoints look at."""
