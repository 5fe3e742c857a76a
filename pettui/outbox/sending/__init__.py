"""What goes out, when, and what its outcome means."""
