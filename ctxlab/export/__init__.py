"""Settings in the form each real tool reads."""
