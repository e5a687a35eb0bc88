"""From one page to the lists of records in it."""
