"""Which URLs are wanted at all: scope, filters and caps, each refusal with its own reason."""
