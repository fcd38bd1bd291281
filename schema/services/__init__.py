"""The types of what is asked, sent and signed."""
