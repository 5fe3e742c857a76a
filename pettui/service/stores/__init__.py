"""What keeps animals: SQLite, PostgreSQL or memory."""
