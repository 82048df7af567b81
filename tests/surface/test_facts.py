"""Facts joined, and what they hold: keys of rows, answers without JSON, places of quotes."""
