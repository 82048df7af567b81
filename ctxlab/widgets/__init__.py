"""Explorers for notebooks."""
