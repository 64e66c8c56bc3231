-- _due_as_worker counts the due rows of a policy, p_limit at most. It locks nothing.
-- p_scope: a scope, or an array of scopes. A row of any of these scopes counts.
-- p_guards: if false, guards and holds are not evaluated. The result is then an upper bound and
--   costs much less.
CREATE OR REPLACE FUNCTION retention._due_as_worker(
    p_policy text, p_as_of timestamptz, p_limit bigint, p_guards boolean, p_scope jsonb, p_older_than interval)
RETURNS bigint
LANGUAGE plpgsql STABLE AS $function$
DECLARE
    v_batch retention.batch_range := retention._batch_range(p_as_of, p_older_than, p_scope);
    v_held CONSTANT boolean := p_guards AND retention._holds(p_policy, p_as_of);
    v_rows CONSTANT text := format(CASE jsonb_typeof(p_scope) WHEN 'array' THEN
        'FROM (SELECT DISTINCT ON (d.rel, d.tid) d.rel, d.tid, d.verdict
               FROM jsonb_array_elements(($1).scope) s (scope) CROSS JOIN LATERAL %s) d WHERE true'
        ELSE 'FROM %s WHERE true' END, retention._rows_call(retention._get_policy(p_policy),
            CASE jsonb_typeof(p_scope) WHEN 'array' THEN
                'retention._batch_range(($1).as_of, ($1).older_than, s.scope)' ELSE '$1' END));
    v_due bigint;
BEGIN
    IF NOT p_guards THEN v_batch.tids := '{}'; END IF;  -- ranks are not evaluated
    IF p_limit = 1 THEN  -- the planner may expect half of the table although no row is left
        PERFORM set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', true);
    END IF;
    EXECUTE format(CASE WHEN v_held THEN
            'WITH found AS MATERIALIZED (SELECT d.rel, d.tid %s%s)
             SELECT count(*) FROM (SELECT FROM found f WHERE ((f.rel, f.tid) IN (
                 SELECT h.rel, h.tid FROM retention._held(
                     $3, ARRAY(SELECT x.rel FROM found x), ARRAY(SELECT x.tid FROM found x), $4, false) h)) IS NOT TRUE
                 LIMIT $2) x'
            ELSE 'SELECT count(*) FROM (SELECT %s%s LIMIT $2) x' END,
        v_rows, CASE WHEN p_guards THEN ' AND d.verdict IS NULL' END)
    INTO v_due USING v_batch, p_limit, p_policy, p_as_of;
    RETURN v_due;
END $function$;
