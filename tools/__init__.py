"""What a developer runs on this tree; nothing here is part of the product. Standard library only."""
