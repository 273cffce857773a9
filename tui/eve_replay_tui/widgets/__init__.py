"""Widgets that are no lists: heading, key bar, tabs, timeline."""
