"""Commands that run the service and look at it."""
