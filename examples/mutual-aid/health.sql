-- The query returns the answer of GET /health. The service that executes it needs the role of a
-- viewer. The uptime is that of PostgreSQL, because there is no other process.
SELECT jsonb_build_object(
    'status', CASE WHEN bool_or(h.severity = 'error') THEN 'unhealthy' ELSE 'healthy' END,
    'service', 'cleanup-service',
    'uptime', extract(epoch FROM clock_timestamp() - pg_postmaster_start_time())::bigint,
    'timestamp', to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'),
    'problems', coalesce(jsonb_agg(to_jsonb(h)) FILTER (WHERE h.severity IS NOT NULL), '[]'))
FROM retention.health() AS h;
