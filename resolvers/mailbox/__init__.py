"""The agents' mailbox: mails taken in, judged, forwarded and answered."""
