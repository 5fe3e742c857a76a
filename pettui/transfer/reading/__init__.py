"""What an import reads: text of any kind → animals to be added, and the lines that are none."""
