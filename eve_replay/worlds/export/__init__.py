"""The vendor's own export and this package's ``dump``, read back as a world."""
