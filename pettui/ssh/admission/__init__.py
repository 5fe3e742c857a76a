"""Who is let in and when: logins half done, the slots of sessions, and the queue for them."""
