"""Bodies in their media types, and the responses that carry them."""
