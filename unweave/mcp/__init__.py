"""The MCP server: tools with which programs that use language models read pages."""
