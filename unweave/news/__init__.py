"""News articles out of pages: title, body, date and author, from one page alone or from the pages of a site together."""
