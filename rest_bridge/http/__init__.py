"""HTTP itself: requests checked and negotiated, responses built, one log line each."""
