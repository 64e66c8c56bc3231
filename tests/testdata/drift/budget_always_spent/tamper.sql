-- One policy spent its budget twelve times. Another one was done once in between, and the runs of a job
-- that somebody started in a row are too young.
INSERT INTO retention.run (policy, job, table_name, policy_hash, as_of, state, started_at, ended_at, message)
SELECT p.name, 'purge', p.table_name, p.hash, now(),
       CASE WHEN p.name = 'session_expired' AND i = 5 THEN 'done' ELSE 'more' END,
       now() - i * interval '5 minutes', now() - i * interval '5 minutes', 'the budget of 00:10:00 is spent'
FROM retention.policy p, generate_series(12, 1, -1) i
ORDER BY p.name, i DESC;
