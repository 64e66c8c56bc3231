-- 3,000 protocols with 7 days of history. 2,500 of them are tracked. No value is random.
INSERT INTO public.protocols (slug, name, category)
SELECT 'protocol-' || n, 'Protocol ' || n, (ARRAY['lending', 'dex', 'bridge', 'yield'])[1 + n % 4]
FROM generate_series(1, 3000) AS n;

INSERT INTO public.protocol_metrics (slug, measured_at, tvl)
SELECT 'protocol-' || n, date_trunc('day', now()) - make_interval(days => day), n * 1000 + day
FROM generate_series(1, 3000) AS n, generate_series(1, 7) AS day;

INSERT INTO public.tracked_protocols (slug, name)
SELECT p.slug, p.name FROM public.protocols AS p ORDER BY p.slug COLLATE "C" LIMIT 2500;

INSERT INTO public.ingest_cursors (slug, source, next_from)
SELECT t.slug, s.source, date_trunc('day', now())
FROM public.tracked_protocols AS t, unnest(ARRAY['tvl', 'fees']) AS s (source);

ANALYZE public.protocols, public.protocol_metrics, public.tracked_protocols, public.ingest_cursors;
