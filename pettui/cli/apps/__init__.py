"""What puts the apps together: the one of this terminal, and those of users over SSH."""
