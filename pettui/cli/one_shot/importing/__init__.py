"""The import command: what it reads, what it says meanwhile, and what it ends with."""
