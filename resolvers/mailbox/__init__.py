"""The agents' mailbox: accepts mails, forwards them to the human, and answers some of them."""
