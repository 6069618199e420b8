"""What must hold in every simulated crawl, judged from outside: by the servers' log and what lies on the disk."""
