-- Returns the numbers of runs, holds in force and events, which are dropped with the schema of the
-- runtime.
SELECT (SELECT count(*) FROM retention.run),
       (SELECT count(*) FROM retention.hold h
        WHERE h.released_at IS NULL AND (h.until IS NULL OR h.until > pg_catalog.clock_timestamp())),
       (SELECT count(*) FROM retention.event);
