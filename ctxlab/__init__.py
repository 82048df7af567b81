"""Tune the context budgets of coding agents on your own recorded transcripts."""
