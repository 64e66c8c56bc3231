UPDATE retention.policy SET breaker_rows = NULL, batch_rows = 1000000 WHERE name = 'message_ttl';
