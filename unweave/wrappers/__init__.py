"""The apply side of wrappers: small and fast, no search."""
