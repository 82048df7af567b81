"""From a sweep to settings to ship."""
