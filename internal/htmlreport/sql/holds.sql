-- Returns the holds in force, newest first, at most 200.
SELECT h.placed_at, h.placed_by, h.id, h.table_name, h.match::text AS match, h.reason, h.until
FROM retention.hold h
WHERE h.released_at IS NULL AND (h.until IS NULL OR h.until > now())
ORDER BY h.id DESC
LIMIT 200
