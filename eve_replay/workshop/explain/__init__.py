"""An outcome in words: what it shows, why a promise broke, what to think about next. English and Chinese."""
