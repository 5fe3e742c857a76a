"""Actions and their keys, and commands of one's own on keys."""
