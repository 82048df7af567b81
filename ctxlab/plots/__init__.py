"""Finished frames into axes; the only place that draws."""
