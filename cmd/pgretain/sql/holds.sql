-- Returns the holds in force.
SELECT h.id AS hold, h.table_name AS "table", h.match, to_char(h.until, 'YYYY-MM-DD HH24:MI:SSOF') AS until,
       h.placed_by, to_char(h.placed_at, 'YYYY-MM-DD HH24:MI:SSOF') AS placed_at, h.reason
FROM retention.hold h
WHERE h.released_at IS NULL AND (h.until IS NULL OR h.until > pg_catalog.clock_timestamp())
ORDER BY h.id;
