"""Vercel's hosted store, over its HTTP interface."""
