-- Forty days after the migration, which gave every protocol its own day as last_read_at. Since
-- then, one third was read today, one third in the weeks before, and the rest never. Ages are whole
-- days plus 30 minutes, or 2 hours. Therefore no more rows become due within the next 15 minutes.
UPDATE public.tracked_protocols
SET created_at = now() - interval '40 days 30 minutes',
    last_read_at = CASE right(slug, 1)::integer % 3
                       WHEN 0 THEN now() - interval '2 hours'
                       WHEN 1 THEN now() - make_interval(days => length(slug) + right(slug, 1)::integer * 3, mins => 30)
                       ELSE now() - interval '40 days 30 minutes'
                   END;

ANALYZE public.tracked_protocols;
