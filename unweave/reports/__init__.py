"""Reports in HTML that show how a result was found."""
