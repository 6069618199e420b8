"""URLs: parsing and resolving, the key on which two URLs count as one, the site a host belongs to.

We fetch the URL as found and compare its key, so no rule of comparison can break a request.
"""
