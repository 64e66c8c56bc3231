UPDATE retention.total SET last_success_at = now() - interval '1 hour' WHERE policy = 'message_ttl';
