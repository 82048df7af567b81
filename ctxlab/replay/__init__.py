"""Transcripts through a policy: facts, decisions, scores, sweeps."""
