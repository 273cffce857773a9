"""Commands of the section Showing: screens and notebooks."""
