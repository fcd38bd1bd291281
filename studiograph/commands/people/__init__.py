"""Commands about messages, mails, subscribers and questions."""
