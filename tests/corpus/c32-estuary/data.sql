INSERT INTO public.drafts (id, updated_at)
SELECT row_number() OVER (), :as_of - ago
FROM (VALUES (interval '240 hours'), ('240:00:00.000001'), ('239:59:59.999999'), ('1 year'), ('0'), ('-1 day'), ('11 days')) a(ago);

INSERT INTO public.draft_specs (draft_id, catalog_name) SELECT id, 'acme/' || n FROM public.drafts, generate_series(1, 3) n WHERE id <> 7;
INSERT INTO public.draft_errors (draft_id, scope, detail) SELECT id, 's', 'the same twice' FROM public.drafts, generate_series(1, 2) n;
INSERT INTO public.discovers (id, draft_id) SELECT 100 + id, id FROM public.drafts;
INSERT INTO public.evolutions (id, draft_id) SELECT 200 + id, id FROM public.drafts WHERE id % 2 = 0;

INSERT INTO public.catalog_stats_hourly (catalog_name, grain, ts)
SELECT catalog, grain, :as_of - ago
FROM (VALUES ('acme/a'), ('acme/b')) c(catalog), (VALUES ('hourly'), ('daily'), ('monthly')) g(grain),
     (VALUES (interval '720 hours'), ('720:00:00.000001'), ('719:59:59.999999'), ('1 year'), ('0')) a(ago);

INSERT INTO internal.log_lines (id, token, stream, log_line, logged_at)
SELECT row_number() OVER (), '00000000-0000-0000-0000-000000000000', 'stdout', 'line', :as_of - ago
FROM (VALUES (interval '48 hours'), ('48:00:00.000001'), ('47:59:59.999999'), ('1 year'), ('0')) a(ago), generate_series(1, 2);
