CREATE FUNCTION pg_temp.key(kind int, n bigint) RETURNS uuid LANGUAGE sql RETURN
    (lpad(to_hex(kind), 8, '0') || '-0000-0000-0000-' || lpad(to_hex(n), 12, '0'))::uuid;

-- With and without an error, with no execution, one and three; some executions have no job.
INSERT INTO public.good_jobs (id, active_job_id, created_at, finished_at, error)
SELECT pg_temp.key(1, row_number() OVER ()), pg_temp.key(2, row_number() OVER ()), :as_of - interval '1 year', :as_of - ago, error
FROM (VALUES (interval '336 hours'), ('336:00:00.000001'), ('335:59:59.999999'), ('1 year'), ('0'), (NULL)) a(ago),
     (VALUES (NULL), (''), ('boom')) e(error), generate_series(1, 3);

INSERT INTO public.good_job_executions (id, active_job_id, created_at, error)
SELECT pg_temp.key(3, n * 10 + attempt), pg_temp.key(2, n), :as_of - interval '1 year', 'boom'
FROM generate_series(1, 60) n, generate_series(1, 3) attempt WHERE n % 3 <> 0 AND (n % 3 <> 1 OR attempt = 1);

INSERT INTO public.good_job_batches (id, created_at, finished_at, discarded_at)
SELECT pg_temp.key(4, row_number() OVER ()), :as_of - interval '1 year', :as_of - ago, :as_of - discarded
FROM (VALUES (interval '336 hours'), ('336:00:00.000001'), ('335:59:59.999999'), ('1 year'), (NULL)) a(ago),
     (VALUES (interval '30 days'), (NULL)) d(discarded);
