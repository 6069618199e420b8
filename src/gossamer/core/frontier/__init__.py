"""All URLs known and not finished, and the choice of the next one: events in, commands out, the time as an argument.

Front queues decide what is important, back queues decide what is allowed. Only the frontier makes a lease.
"""
