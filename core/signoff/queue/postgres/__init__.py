"""The queue in a schema of a PostgreSQL database. Nothing here is loaded before such a queue is opened."""
