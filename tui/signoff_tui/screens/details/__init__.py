"""All that is known of one request besides what it would do."""
