INSERT INTO experiments SELECT n, stage, floor(extract(epoch FROM :as_of - interval '30 days') * 1000)::bigint + off
FROM (VALUES (1, 'active', 0), (2, 'deleted', -1), (3, 'deleted', 0), (4, 'deleted', 1), (5, 'active', -1000000), (6, 'deleted', NULL)) v(n, stage, off);
INSERT INTO runs SELECT 'r' || row_number() OVER (ORDER BY experiment_id, n), experiment_id, stage, floor(extract(epoch FROM :as_of - interval '30 days') * 1000)::bigint + off, 's3://runs/' || experiment_id || '/' || n
FROM experiments, (VALUES (1, 'active', NULL::bigint), (2, 'deleted', -1), (3, 'deleted', 0), (4, 'deleted', 1), (5, 'deleted', NULL), (6, 'active', -1)) v(n, stage, off);
INSERT INTO metrics SELECT run_uuid, 'loss', step, 0.5 FROM runs, generate_series(1, 3) step;
INSERT INTO params SELECT run_uuid, 'rate', '0.1' FROM runs;
INSERT INTO tags SELECT run_uuid, 'note', NULL FROM runs;
