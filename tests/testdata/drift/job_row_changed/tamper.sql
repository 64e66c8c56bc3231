UPDATE retention.job SET policies = '{session_expired}' WHERE name = 'purge';
