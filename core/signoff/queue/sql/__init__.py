"""The queue in the SQL that all engines share; what differs between them is in `signoff.queue.sql.engine`."""
