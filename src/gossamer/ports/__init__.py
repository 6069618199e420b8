"""What a decision needs from the world, as small, batch-shaped Protocols; each port comes with its check."""
