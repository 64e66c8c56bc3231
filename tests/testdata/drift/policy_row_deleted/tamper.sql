DELETE FROM retention.policy WHERE name = 'session_expired';
