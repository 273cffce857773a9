"""What commands share: options, sources, output, errors."""
