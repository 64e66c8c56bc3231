INSERT INTO public.anon_stats_1d (id, processed, created_at)
SELECT row_number() OVER (), processed, :as_of - ago
FROM (VALUES (true), (false), (NULL)) p(processed),
     (VALUES (interval '720 hours'), ('720:00:00.000001'), ('719:59:59.999999'), ('1 year'), ('0')) a(ago);

-- Ids 1 to 60 are beyond the newest 10000; of those, some are young, some are not done. Ids count, not times.
INSERT INTO public.modifications (id, request_type, status, persisted, created_at)
SELECT n, 'uniqueness', CASE WHEN n % 5 = 0 THEN 'IN_PROGRESS' ELSE 'COMPLETED' END, n % 7 <> 0,
       (:as_of - CASE n % 4 WHEN 0 THEN interval '2160 hours' WHEN 1 THEN '2160:00:00.000001' WHEN 2 THEN '2159:59:59.999999'
                            ELSE '1 year' END) AT TIME ZONE 'UTC'
FROM generate_series(1, 10060) n;
