"""Intervals and bounds from one score a transcript."""
