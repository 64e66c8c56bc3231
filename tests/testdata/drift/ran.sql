-- Every job ran a moment ago and did all it should.
INSERT INTO retention.run (policy, job, table_name, policy_hash, as_of, state, ended_at)
SELECT p.name, j.name, p.table_name, p.hash, now(), 'done', now()
FROM retention.policy p, retention.job j WHERE p.name = ANY (j.policies) ORDER BY j.name, p.name;
INSERT INTO retention.total (policy, last_success_at) SELECT p.name, now() FROM retention.policy p;
