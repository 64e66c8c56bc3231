-- Of four runs the archive has one whole, one with a row less, one with a row too many; from the fourth
-- somebody restored. Rows of the other archives may go.
CREATE TEMP TABLE wrote AS
SELECT r.id, r.policy, row_number() OVER (PARTITION BY r.policy ORDER BY r.id) AS n FROM retention.run r WITH NO DATA;
WITH run AS (
    INSERT INTO retention.run (policy, job, table_name, policy_hash, as_of, state, ended_at, taken, related)
    SELECT p.name, 'purge', p.table_name, p.hash, now(), 'done', now(), 2,
           jsonb_build_object(replace(p.table_name, 'app.', 'app.old_'), 2)
    FROM retention.policy p, generate_series(1, 4) i
    WHERE p.name IN ('items', 'notes', 'tags')
    ORDER BY p.name, i
    RETURNING id, policy
)
INSERT INTO wrote SELECT id, policy, row_number() OVER (PARTITION BY policy ORDER BY id) FROM run;
INSERT INTO app.old_item (id, at, run_id)
SELECT row_number() OVER (), now() - interval '8 days', w.id
FROM wrote w CROSS JOIN LATERAL generate_series(1, (ARRAY[2, 1, 3, 0])[w.n::integer]) WHERE w.policy = 'items';
INSERT INTO retention.restored (policy, run_id, restored, refused) SELECT 'items', w.id, 2, 0 FROM wrote w WHERE w.policy = 'items' AND w.n = 4;
