"""A crawl on several cores: a worker process on each; a supervisor starts them, speaks for them and ends them."""
