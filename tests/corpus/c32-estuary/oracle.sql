-- as_of: 2025-06-01 12:00:00+00

-- table: public.drafts
SELECT * FROM public.drafts WHERE updated_at >= '2025-05-22 12:00:00+00';

-- table: public.draft_specs
SELECT s.* FROM public.draft_specs s JOIN public.drafts d ON d.id = s.draft_id WHERE d.updated_at >= '2025-05-22 12:00:00+00';

-- table: public.draft_errors
SELECT s.* FROM public.draft_errors s JOIN public.drafts d ON d.id = s.draft_id WHERE d.updated_at >= '2025-05-22 12:00:00+00';

-- table: public.discovers
SELECT s.* FROM public.discovers s JOIN public.drafts d ON d.id = s.draft_id WHERE d.updated_at >= '2025-05-22 12:00:00+00';

-- table: public.evolutions
SELECT s.* FROM public.evolutions s JOIN public.drafts d ON d.id = s.draft_id WHERE d.updated_at >= '2025-05-22 12:00:00+00';

-- table: public.catalog_stats_hourly
SELECT * FROM public.catalog_stats_hourly WHERE grain <> 'hourly' OR ts >= '2025-05-02 12:00:00+00';

-- table: internal.log_lines
SELECT * FROM internal.log_lines WHERE logged_at >= '2025-05-30 12:00:00+00';
