"""Letters to the human, and what is sent out: contact, mailbox, webhooks. Knows no other wing."""
