-- as_of: 2025-06-01 12:00:00+00

-- table: public.workspace_agent_logs
SELECT l.* FROM public.workspace_agent_logs l
WHERE NOT EXISTS (
    SELECT FROM public.workspace_agents a JOIN public.workspace_resources r ON r.id = a.resource_id
    JOIN public.workspace_builds b ON b.job_id = r.job_id
    JOIN public.workspace_builds newer ON newer.workspace_id = b.workspace_id AND newer.build_number > b.build_number
    WHERE a.id = l.agent_id
      AND CASE WHEN a.last_connected_at IS NOT NULL THEN a.last_connected_at ELSE a.created_at END < timestamptz '2025-05-25 12:00+00');

-- Before the roll-up less a day, and of the oldest four hours of what is left: round by round.
-- table: public.workspace_agent_stats
SELECT * FROM public.workspace_agent_stats
WHERE created_at >= '2025-05-28 12:00+00' OR created_at >= timestamptz '2025-05-28 02:00+00' + :round * interval '4 hours';

-- table: public.provisioner_daemons
SELECT * FROM public.provisioner_daemons
WHERE last_seen_at >= '2025-05-25 12:00+00' OR last_seen_at IS NULL AND created_at >= '2025-05-25 12:00+00';

-- table: public.api_keys
SELECT * FROM public.api_keys WHERE expires_at >= '2025-05-25 12:00+00';

-- Interceptions are 1: on the bound, 2: beside it, 3: young, 4: old; those of 5 do not exist.
-- table: public.aibridge_interceptions
SELECT * FROM public.aibridge_interceptions WHERE right(id::text, 1) IN ('1', '3');

-- table: public.aibridge_token_usages
SELECT * FROM public.aibridge_token_usages WHERE right(interception_id::text, 1) IN ('1', '3', '5');

-- table: public.aibridge_user_prompts
SELECT * FROM public.aibridge_user_prompts WHERE right(interception_id::text, 1) IN ('1', '3', '5');

-- table: public.aibridge_tool_usages
SELECT * FROM public.aibridge_tool_usages WHERE false;

-- table: public.connection_logs
SELECT * FROM public.connection_logs WHERE connect_time >= '2025-03-03 12:00+00';

-- Three a round, oldest first, until the eight that are due are gone.
-- table: public.audit_logs
SELECT * FROM public.audit_logs
EXCEPT ALL
(SELECT * FROM public.audit_logs WHERE time < '2024-06-01 12:00+00' ORDER BY time LIMIT 3 * :round);

-- table: public.telemetry_locks
SELECT * FROM public.telemetry_locks
WHERE period_ending_at >= CASE event_type WHEN 'boundary_usage_summary' THEN timestamptz '2025-05-25 12:00+00' ELSE '2025-05-31 12:00+00' END;
