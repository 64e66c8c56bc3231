UPDATE retention.total SET last_success_at = now() - interval '10 days' WHERE policy = 'sizes';
CREATE OR REPLACE FUNCTION retention.sizes_report(p_as_of timestamptz) RETURNS TABLE (answer jsonb, alert boolean)
LANGUAGE sql STABLE
AS 'SELECT ''{"n": 1}''::jsonb, false';
