"""Rate limits, counted in a store that all processes share."""
