DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET powa.retention = %L', current_database(), '2 days'); END $$;

-- The local server has a retention in its row that does not count; 3 has none; 4 has one for the module.
INSERT INTO public.powa_servers (id, alias, retention, powa_coalesce) VALUES
    (0, 'local', '1 hour', 3), (1, 'seven', '7 days', 3), (2, 'more', '1 day', 3), (3, 'none', NULL, 3), (4, 'module', '7 days', 3);
INSERT INTO public.powa_module_config (srvid, module, retention) VALUES
    (4, 'pg_stat_statements', '3 days'), (1, 'pg_stat_statements', NULL), (2, 'pg_stat_kcache', '1 hour');
INSERT INTO public.powa_snapshot_metas (srvid, coalesce_seq, snapts) VALUES
    (0, 3, :as_of), (1, 2, :as_of), (2, 5, :as_of), (3, 3, :as_of), (4, 0, :as_of);

-- Databases by the age of their drop: two never dropped, others on 1.2 times a retention and beside it.
INSERT INTO public.powa_databases (srvid, oid, datname, dropped)
SELECT s.id, d.n, 'db' || d.n, :as_of - d.ago
FROM public.powa_servers s,
     (VALUES (1, NULL::interval), (2, NULL), (3, '57:36:00'), (4, '57:36:00.000001'), (5, '201:36:00'), (6, '201:36:00.000001'), (7, '1 hour'), (8, '1 year')) d(n, ago);

-- Statements of databases 1 (by age) and 4, 6, 8.
INSERT INTO public.powa_statements (srvid, queryid, dbid, query, last_present_ts)
SELECT s.id, q.n, 1, 'SELECT', :as_of - q.ago
FROM public.powa_servers s,
     (VALUES (1, interval '0'), (2, '48 hours'), (3, '48:00:00.000001'), (4, '72 hours'), (5, '72:00:00.000001'),
             (6, '168 hours'), (7, '168:00:00.000001'), (8, '24:00:00.000001'), (9, NULL)) q(n, ago);
INSERT INTO public.powa_statements (srvid, queryid, dbid, query, last_present_ts)
SELECT id, 1, dbid, 'SELECT', :as_of FROM public.powa_servers, (VALUES (4), (6), (8)) d(dbid);

-- Packed rows of statements 1 and 9, whose ranges end where the statements were last seen, open or closed, and two without end.
INSERT INTO public.powa_statements_history (srvid, queryid, dbid, coalesce_range, records)
SELECT s.srvid, q, 1, tstzrange(s.last_present_ts - interval '1 day', s.last_present_ts, b), ARRAY[ROW(s.last_present_ts, 1, 0.5)::public.powa_statements_record]
FROM public.powa_statements s, (VALUES (1), (9)) w(q), (VALUES ('[)'), ('[]')) x(b) WHERE s.dbid = 1 AND s.last_present_ts IS NOT NULL;
INSERT INTO public.powa_statements_history (srvid, queryid, dbid, coalesce_range, records)
SELECT id, 1, 1, r::tstzrange, '{}' FROM public.powa_servers, (VALUES ('empty'), ('[2020-01-01,)')) x(r);

-- Snapshots in no order: three of most statements, one of one, some of them old already.
INSERT INTO public.powa_statements_history_current (srvid, queryid, dbid, ts, calls, total_time)
SELECT s.srvid, s.queryid, s.dbid, :as_of - CASE WHEN s.queryid = 9 THEN interval '8 days' ELSE '1 hour' END + n * 7 % 5 * interval '5 min', n, n / 2.0
FROM public.powa_statements s, generate_series(1, 3) n WHERE s.queryid <> 6 AND (s.queryid <> 2 OR n = 2);
