"""What the service sends, parsed: pages, errors, headers and addresses; nothing here does I/O."""
