"""What the screens say of an error, an entry, a notice or a list."""
