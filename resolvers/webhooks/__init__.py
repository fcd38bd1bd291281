"""Webhooks: subscriptions to the changelog, their verification, and signed deliveries."""
