"""The commands of the command line, a module each: `add_arguments(parser)` and `run(args)`."""
