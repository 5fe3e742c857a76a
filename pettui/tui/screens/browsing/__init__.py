"""What a clerk does with the list: each an object that the list screen holds."""
