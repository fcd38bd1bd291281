"""Subscriptions to the changelog: verified, stored, delivered to and signed for."""
