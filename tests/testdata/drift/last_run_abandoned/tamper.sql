INSERT INTO retention.run (policy, job, table_name, policy_hash, as_of, state, pid)
VALUES ('message_ttl', 'purge', 'app.message', '', now(), 'running', 0);
