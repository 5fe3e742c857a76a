"""A demo: its options and their files, and the service that each session of one has for itself."""
