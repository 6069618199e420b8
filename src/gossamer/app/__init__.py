"""Assembly: settings, wiring, command line. The only layer that knows all others."""
