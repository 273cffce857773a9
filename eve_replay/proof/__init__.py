"""Predictions held against recorded real crashes."""
