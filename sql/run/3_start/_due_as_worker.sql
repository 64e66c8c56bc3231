-- How many rows of a policy are due, p_limit at most. p_guards false leaves verdicts and holds out: an upper bound that
-- costs much less. Locks nothing.
CREATE OR REPLACE FUNCTION retention._due_as_worker(
    p_policy text, p_as_of timestamptz, p_limit bigint, p_guards boolean, p_scope jsonb, p_older_than interval)
RETURNS bigint
LANGUAGE plpgsql STABLE AS $function$
DECLARE
    v_slice retention.slice := retention._slice(p_as_of, p_older_than, p_scope);
    v_held CONSTANT boolean := p_guards AND retention._holds(p_policy, p_as_of);
    v_rows CONSTANT text := format('FROM retention.%I($1) d WHERE true', p_policy || '_rows'); v_due bigint;
BEGIN
    IF NOT p_guards THEN v_slice.tids := '{}'; END IF;  -- no rank is evaluated
    IF p_limit = 1 THEN  -- of what statistics take for half of the table there may be nothing left
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
    INTO v_due USING v_slice, p_limit, p_policy, p_as_of;
    RETURN v_due;
END $function$;
