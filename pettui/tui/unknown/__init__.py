"""What an add became whose response was lost, as a person decides about it."""
