-- What a run would find at an instant, which may lie in the future. Reads, changes nothing.
CREATE OR REPLACE FUNCTION retention.preview(
    policy text, as_of timestamptz DEFAULT NULL,
    OUT due bigint, OUT kept jsonb, OUT oldest text, OUT newest text, OUT breaker_limit bigint,
    OUT would_trip boolean, OUT stopped_by text)
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET jit = off
SET row_security = off
AS $function$
DECLARE
    v_policy retention.policy := retention._known(preview.policy);
    v_count retention.due_count;
BEGIN
    v_count := retention._count(v_policy.name, coalesce(preview.as_of, clock_timestamp()), NULL, true);
    due := v_count.due;
    kept := v_count.kept;
    oldest := v_count.oldest;
    newest := v_count.newest;
    breaker_limit := retention._breaker_limit(
        v_policy, retention._estimated_rows(retention._table(v_policy.table_name)));
    would_trip := coalesce(least(due, v_policy.budget_rows) > breaker_limit, false);
    stopped_by := coalesce(retention._copy(), retention._paused(v_policy.name),
                           retention._objection(v_policy.name));
END
$function$;
REVOKE ALL ON FUNCTION retention.preview(text, timestamptz) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION retention.preview(text, timestamptz) TO retention_runner, retention_operator, retention_viewer;
