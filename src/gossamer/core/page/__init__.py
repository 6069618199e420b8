"""Reading a document: charset, links with their kind and text, title, directives. Nothing malformed raises."""
