"""Articles of news pages: title, body, date and authors, from one page or the pages of a site."""
