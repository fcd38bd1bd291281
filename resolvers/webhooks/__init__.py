"""Webhooks: subscriptions to the changelog, their verification, and signed deliveries.

`service` subscribes, `verification` challenges, `fanout` makes deliveries of entries, `sender`
makes an attempt, `retry_policy` judges it, `delivery_store` keeps what follows.
"""
