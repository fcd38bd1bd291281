"""What callers do here: how much is asked for, and which questions the content does not answer."""
