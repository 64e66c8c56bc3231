-- Compares the time zone of the database's sessions with another one.
-- $1 text: a time zone. Returns the zone that a new session has, '' where both have equal local
-- times for a year.
SELECT coalesce(max(s.reset_val), '')
  FROM pg_settings AS s
 WHERE s.name = 'TimeZone'
   AND EXISTS (SELECT FROM generate_series(0, 12) AS month
                CROSS JOIN LATERAL (VALUES (now() + month * interval '1 month')) AS i (instant)
                WHERE i.instant AT TIME ZONE s.reset_val <> i.instant AT TIME ZONE $1);
