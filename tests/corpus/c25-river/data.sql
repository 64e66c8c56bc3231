-- Every final state in every queue, on its bound and a microsecond to either side.
INSERT INTO river.river_job (id, state, queue, kind, created_at, finalized_at)
SELECT row_number() OVER (), state::river.job_state, queue, 'mail', :as_of - interval '1 year', :as_of - ago
FROM (VALUES ('completed'), ('cancelled'), ('discarded')) s(state),
     (VALUES ('default'), ('audit'), ('billing'), ('Billing')) q(queue),
     (VALUES (interval '24 hours'), ('24:00:00.000001'), ('23:59:59.999999'), ('3 days'),
             ('168 hours'), ('168:00:00.000001'), ('167:59:59.999999'), ('0'), ('-1 day')) a(ago);

INSERT INTO river.river_job (id, state, queue, kind, created_at)
SELECT 1000 + row_number() OVER (), state::river.job_state, 'default', 'mail', :as_of - interval '1 year'
FROM (VALUES ('available'), ('pending'), ('retryable'), ('running'), ('scheduled')) s(state);
