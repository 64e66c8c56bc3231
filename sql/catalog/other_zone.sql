-- Returns the time zone that a new session has. It returns '' if its local times are those of $1
-- for a year.
-- $1 text: a time zone
SELECT coalesce(max(s.reset_val), '')
  FROM pg_settings AS s
 WHERE s.name = 'TimeZone'
   AND EXISTS (SELECT FROM generate_series(0, 12) AS month
                CROSS JOIN LATERAL (VALUES (now() + month * interval '1 month')) AS i (instant)
                WHERE i.instant AT TIME ZONE s.reset_val <> i.instant AT TIME ZONE $1);
