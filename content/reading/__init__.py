"""A folder of content, read into a site."""
