"""Builders of what is given away: the kit for laptops and the site in a browser. Not in the wheel."""
