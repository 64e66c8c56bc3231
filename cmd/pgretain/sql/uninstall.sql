-- What goes with the runtime and is in no migration: runs, holds in force, events that nobody has taken.
SELECT (SELECT count(*) FROM retention.run),
       (SELECT count(*) FROM retention.hold h
        WHERE h.released_at IS NULL AND (h.until IS NULL OR h.until > pg_catalog.clock_timestamp())),
       (SELECT count(*) FROM retention.event);
