"""The workshop without an installation: the kit for laptops without internet, the site for browsers."""
