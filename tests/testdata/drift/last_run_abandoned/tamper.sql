-- Two runs in a row whose backends are gone; nobody has counted the second one yet. One run of the other
-- policy that failed is for information.
INSERT INTO retention.run (policy, job, table_name, policy_hash, as_of, state, pid)
VALUES ('message_ttl', 'purge', 'app.message', '', now(), 'running', 0),
       ('session_expired', 'purge', 'app.session', '', now(), 'failed', 0);
UPDATE retention.total SET failed_in_a_row = 1;
