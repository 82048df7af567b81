"""Readers of recorded transcripts, one module an agent."""
