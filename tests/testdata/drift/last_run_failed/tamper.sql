INSERT INTO retention.run (policy, job, table_name, policy_hash, as_of, state, ended_at, message)
VALUES ('message_ttl', 'purge', 'app.message', '', now(), 'failed', now(), 'deadlock detected');
UPDATE retention.total SET failed_in_a_row = 3 WHERE policy = 'message_ttl';
