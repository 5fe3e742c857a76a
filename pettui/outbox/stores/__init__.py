"""Where entries and drafts are kept: files of an owner and profile, or memory."""
