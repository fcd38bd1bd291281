"""Commands about keys, the logs and what proves who publishes."""
