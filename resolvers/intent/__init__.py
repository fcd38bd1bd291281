"""Recommends the requests that achieve a goal given in plain words."""
