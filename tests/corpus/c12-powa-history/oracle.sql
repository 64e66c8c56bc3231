-- as_of: 2025-06-01 12:00:00+00

-- table: public.powa_snapshot_metas
SELECT srvid, CASE WHEN srvid IN (0, 2, 3) THEN 0 ELSE coalesce_seq END AS coalesce_seq, snapts FROM public.powa_snapshot_metas;

-- Databases that were dropped long enough ago, which is never for server 3.
-- table: public.powa_databases
SELECT * FROM public.powa_databases
WHERE dropped IS NULL OR dropped >= CASE srvid
    WHEN 0 THEN timestamptz '2025-06-01 12:00+00' - interval '57:36' WHEN 2 THEN timestamptz '2025-06-01 12:00+00' - interval '28:48'
    WHEN 3 THEN '-infinity' ELSE timestamptz '2025-06-01 12:00+00' - interval '201:36' END;

-- table: public.powa_statements
WITH kept AS (
    SELECT srvid, oid FROM public.powa_databases
    WHERE dropped IS NULL OR dropped >= CASE srvid
        WHEN 0 THEN timestamptz '2025-06-01 12:00+00' - interval '57:36' WHEN 2 THEN timestamptz '2025-06-01 12:00+00' - interval '28:48'
        WHEN 3 THEN '-infinity' ELSE timestamptz '2025-06-01 12:00+00' - interval '201:36' END
)
SELECT * FROM public.powa_statements s
WHERE (srvid, dbid) IN (TABLE kept)
  AND (last_present_ts IS NULL OR last_present_ts >= CASE srvid
    WHEN 0 THEN timestamptz '2025-05-30 12:00+00' WHEN 1 THEN '2025-05-25 12:00+00' WHEN 2 THEN '2025-05-31 12:00+00'
    WHEN 3 THEN '-infinity' ELSE '2025-05-29 12:00+00' END);

-- Servers 0, 2 and 3 are packed; the others keep their snapshots, but for statements that went.
-- table: public.powa_statements_history_current
WITH kept AS (
    SELECT srvid, oid FROM public.powa_databases
    WHERE dropped IS NULL OR dropped >= timestamptz '2025-06-01 12:00+00' - interval '201:36'
)
SELECT c.* FROM public.powa_statements_history_current c JOIN public.powa_statements s USING (srvid, queryid, dbid)
WHERE c.srvid IN (1, 4) AND (c.srvid, c.dbid) IN (TABLE kept)
  AND (s.last_present_ts IS NULL OR s.last_present_ts >= CASE c.srvid WHEN 1 THEN timestamptz '2025-05-25 12:00+00' ELSE '2025-05-29 12:00+00' END);

-- What was packed before and what is now, of statements and databases that stay, unless its range ended too long ago.
-- table: public.powa_statements_history
WITH cut(srvid, history, database) AS (VALUES
    (0, timestamptz '2025-05-30 12:00+00', timestamptz '2025-06-01 12:00+00' - interval '57:36'),
    (1, '2025-05-25 12:00+00', timestamptz '2025-06-01 12:00+00' - interval '201:36'),
    (2, '2025-05-31 12:00+00', timestamptz '2025-06-01 12:00+00' - interval '28:48'),
    (3, '-infinity', '-infinity'),
    (4, '2025-05-29 12:00+00', timestamptz '2025-06-01 12:00+00' - interval '201:36')
), packed AS (
    SELECT * FROM public.powa_statements_history
    UNION ALL
    SELECT srvid, queryid, dbid, tstzrange(min(ts), max(ts), '[]'),
           array_agg(ROW(ts, calls, total_time)::public.powa_statements_record ORDER BY ts)
    FROM public.powa_statements_history_current WHERE srvid IN (0, 2, 3) GROUP BY srvid, queryid, dbid
)
SELECT p.* FROM packed p
JOIN cut USING (srvid)
JOIN public.powa_statements s USING (srvid, queryid, dbid)
JOIN public.powa_databases d ON d.srvid = p.srvid AND d.oid = p.dbid
WHERE (upper(p.coalesce_range) IS NULL OR upper(p.coalesce_range) >= cut.history)
  AND (s.last_present_ts IS NULL OR s.last_present_ts >= cut.history)
  AND (d.dropped IS NULL OR d.dropped >= cut.database);
