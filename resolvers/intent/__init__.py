"""From a goal in plain words to the requests that achieve it."""
