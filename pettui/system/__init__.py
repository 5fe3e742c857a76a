"""What the machine gives: files, sockets, signals, logs."""
