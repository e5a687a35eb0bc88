"""Pages for the browser that show how a result was found."""
