"""pettui for people who come over SSH: asyncssh lives here and nowhere else."""
