"""What a DNS answer means: how long it is kept, and which addresses may be contacted."""
