"""What an HTTP exchange means: outcome, redirects, content coding, limits, Retry-After."""
