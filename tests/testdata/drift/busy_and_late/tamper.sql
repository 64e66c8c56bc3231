INSERT INTO retention.run (policy, job, table_name, policy_hash, as_of, state, ended_at, message)
VALUES ('message_ttl', 'purge', 'app.message', '', now(), 'busy', now(), 'backend 17 of role "shop" holds the table''s run lock');
UPDATE retention.total SET last_success_at = now() - interval '1 hour' WHERE policy = 'message_ttl';
