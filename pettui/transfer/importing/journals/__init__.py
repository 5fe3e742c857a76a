"""The journal of imports: which lines earlier imports added to an address, or may have added."""
