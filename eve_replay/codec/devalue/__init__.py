"""devalue text to values and back; forms of the SDK and of devalue itself."""
