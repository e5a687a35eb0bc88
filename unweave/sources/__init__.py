"""Where pages come from: files and folders, archives, and the web."""
