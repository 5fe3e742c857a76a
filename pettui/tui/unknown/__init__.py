"""What an add became whose response was lost: the animals that it could be, for a person to say."""
