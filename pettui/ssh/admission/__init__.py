"""Who is admitted and when: unfinished logins, session slots, and the queue for them."""
