"""Reading a document: character encoding, links with their kind and text, title, directives. Nothing malformed raises."""
