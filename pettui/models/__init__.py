"""The interface's resources: animals, their statuses, and what makes one valid."""
