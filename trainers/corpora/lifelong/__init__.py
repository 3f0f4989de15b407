"""Repositories one after another: a store of what is known of them, and training that goes on from one to the next."""
