UPDATE retention.install SET adopted_at = now() - interval '9 days';
UPDATE retention.policy SET installed_at = now() - interval '9 days';
UPDATE retention.job SET installed_at = now() - interval '9 days';
-- The log says that all went well, and rows are there all the same. The session came to be due a
-- moment ago, by its state: that is no drift.
INSERT INTO app.message (body, created_at)
VALUES ('a', now() - interval '8 days'), ('b', now() - interval '8 days'), ('c', now() - interval '7 days 1 second');
INSERT INTO app.session (state, expires_at) VALUES ('open', now() - interval '7 days');
