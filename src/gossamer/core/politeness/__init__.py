"""How long a host is left in peace: the gap, what slows it (429, 503, timeouts, resets) and when a host is parked."""
