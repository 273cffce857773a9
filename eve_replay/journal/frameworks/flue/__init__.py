"""Flue: conversations as record streams, submissions with attempts, calls with fates of their own."""
