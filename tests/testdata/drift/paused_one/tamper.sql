SELECT retention.pause('message_ttl', 'audit 12');
