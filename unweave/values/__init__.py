"""Text to typed values: numbers, prices, dates, formats of columns, names. Knows no pages."""
