CREATE FUNCTION pg_temp.key(kind int, n bigint) RETURNS uuid LANGUAGE sql RETURN
    (lpad(to_hex(kind), 8, '0') || '-0000-0000-0000-' || lpad(to_hex(n), 12, '0'))::uuid;

-- Five workspaces of 1 to 5 builds; an agent each, one resource without a build.
INSERT INTO public.workspace_builds (id, workspace_id, build_number, job_id)
SELECT pg_temp.key(1, w * 10 + b), pg_temp.key(2, w), b, pg_temp.key(3, w * 10 + b) FROM generate_series(1, 5) w, generate_series(1, 5) b WHERE b <= w;
INSERT INTO public.workspace_resources (id, job_id) SELECT pg_temp.key(4, w * 10 + b), pg_temp.key(3, w * 10 + b) FROM generate_series(1, 5) w, generate_series(1, 6) b;
INSERT INTO public.workspace_agents (id, resource_id, created_at, last_connected_at)
SELECT pg_temp.key(5, w * 10 + b), pg_temp.key(4, w * 10 + b),
       :as_of - CASE WHEN w % 2 = 0 THEN interval '1 year' ELSE '168 hours' + (b - 2) * interval '1 us' END,
       :as_of - CASE WHEN w % 2 = 0 THEN interval '168 hours' + (b - 2) * interval '1 us' END
FROM generate_series(1, 5) w, generate_series(1, 6) b;
INSERT INTO public.workspace_agent_logs (id, agent_id, output)
SELECT row_number() OVER (ORDER BY a.id, n), a.id, 'line' FROM public.workspace_agents a, generate_series(1, 3) n;

-- Statistics every half hour, from before what was rolled up; the newest roll-up is of three days ago.
INSERT INTO public.workspace_agent_stats (id, created_at)
SELECT pg_temp.key(6, n * 2 + x), :as_of - interval '4 days 10 hours' + n * interval '30 min' FROM generate_series(0, 60) n, generate_series(0, 1) x;
INSERT INTO public.template_usage_stats (start_time, template_id)
SELECT :as_of - interval '3 days' - n * interval '1 hour', pg_temp.key(7, 1) FROM generate_series(0, 5) n;

INSERT INTO public.provisioner_daemons (id, created_at, last_seen_at)
SELECT pg_temp.key(8, row_number() OVER ()), :as_of - c.ago, :as_of - s.ago
FROM (VALUES (interval '168 hours'), ('168:00:00.000001'), ('1 year')) c(ago), (VALUES (interval '168 hours'), ('168:00:00.000001'), ('0'), (NULL)) s(ago);
INSERT INTO public.api_keys (id, expires_at)
SELECT row_number() OVER (), :as_of - ago FROM (VALUES (interval '168 hours'), ('168:00:00.000001'), ('0'), ('-1 day'), ('1 year')) a(ago);

INSERT INTO public.aibridge_interceptions (id, started_at)
SELECT pg_temp.key(9, row_number() OVER ()), :as_of - ago FROM (VALUES (interval '1440 hours'), ('1440:00:00.000001'), ('0'), ('1 year')) a(ago);
INSERT INTO public.aibridge_token_usages (id, interception_id) SELECT pg_temp.key(10, i * 10 + n), pg_temp.key(9, i) FROM generate_series(1, 5) i, generate_series(1, 3) n;
INSERT INTO public.aibridge_user_prompts (id, interception_id) SELECT pg_temp.key(11, i), pg_temp.key(9, i) FROM generate_series(1, 5) i;
INSERT INTO public.aibridge_tool_usages (id, interception_id) SELECT pg_temp.key(12, i), pg_temp.key(9, 4) FROM generate_series(1, 5) i;

INSERT INTO public.connection_logs (id, connect_time)
SELECT pg_temp.key(13, row_number() OVER ()), :as_of - ago FROM (VALUES (interval '2160 hours'), ('2160:00:00.000001'), ('0'), ('1 year')) a(ago);
INSERT INTO public.audit_logs (id, time) SELECT pg_temp.key(14, 100 - n), :as_of - interval '1 year' - (n - 3) * interval '1 us' FROM generate_series(1, 11) n;
INSERT INTO public.telemetry_locks (event_type, period_ending_at)
SELECT type, :as_of - ago
FROM (VALUES ('aibridge_interceptions_summary'), ('boundary_usage_summary')) e(type),
     (VALUES (interval '24 hours'), ('24:00:00.000001'), ('168 hours'), ('168:00:00.000001'), ('0')) a(ago);
