"""Where animals are stored: SQLite, PostgreSQL or memory."""
