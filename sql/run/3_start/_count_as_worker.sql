-- How many rows of a policy are due and what keeps the others, by <policy>_rows. p_limit stops counting there, and
-- kept is not counted then; p_guards false leaves verdicts out: an upper bound that costs much less. p_lo leaves rows
-- out up to a position of the only pass, where no hold is in force. Locks nothing.
CREATE OR REPLACE FUNCTION retention._count_as_worker(
    p_policy text, p_as_of timestamptz, p_limit bigint, p_guards boolean, p_scope jsonb DEFAULT NULL,
    p_older_than interval DEFAULT NULL, p_lo jsonb DEFAULT NULL) RETURNS retention.due_count
LANGUAGE plpgsql STABLE AS $function$
DECLARE
    v_policy CONSTANT retention.policy := (SELECT p FROM retention.policy p WHERE p.name = p_policy);
    v_slice retention.slice := retention._slice(p_as_of, p_older_than, p_scope);
    v_held CONSTANT boolean := p_guards AND retention._holds(p_policy, p_as_of);
    v_rows text := format('FROM retention.%I($1) d WHERE true', p_policy || '_rows'); v_count retention.due_count;
BEGIN
    IF NOT p_guards OR p_limit IS NOT NULL AND NOT v_held THEN
        IF NOT p_guards THEN v_slice.tids := '{}'; END IF;  -- no rank is evaluated
        IF p_limit = 1 THEN  -- of what statistics take for half of the table there may be nothing left
            PERFORM set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', true);
        END IF;
        IF p_lo IS NOT NULL THEN
            v_slice.pass := 1; v_slice.lo := p_lo; v_rows := (retention._cursor(v_policy, v_slice)).rows;
        END IF;
        EXECUTE format('SELECT count(*), count(*) >= $2 FROM (SELECT %s%s LIMIT $2) x', v_rows,
                       CASE WHEN p_guards THEN ' AND d.verdict IS NULL' END)
        INTO v_count.due, v_count.capped USING v_slice, p_limit;
        v_count.kept := '{}';
    ELSE
        EXECUTE format(
            'WITH found AS MATERIALIZED (
                 SELECT %s AS clock, d.rel, d.tid, d.verdict FROM retention.%I($1) d CROSS
                     JOIN LATERAL (SELECT (d.t).*) t
             ), held AS MATERIALIZED (
                 SELECT h.rel, h.tid
                 FROM retention._held($3, ARRAY(SELECT f.rel FROM found f WHERE f.verdict IS NULL),
                                      ARRAY(SELECT f.tid FROM found f WHERE f.verdict IS NULL), $4, false) h
                 WHERE $2
             ), judged AS (
                 SELECT x.clock, x.verdict FROM (SELECT f.clock, CASE WHEN f.verdict IS NULL
                     AND (f.rel, f.tid) IN (SELECT h.rel, h.tid FROM held h)
                                            THEN ''hold'' ELSE f.verdict END AS verdict FROM found f) x
                 WHERE $5 IS NULL OR x.verdict IS NULL LIMIT $5
             )
             SELECT count(*) FILTER (WHERE j.verdict IS NULL),
                    (SELECT coalesce(jsonb_object_agg(k.guard, k.n), ''{}'')
                     FROM (SELECT rtrim(x.verdict, ''?'') AS guard, count(*) AS n FROM judged x
                         WHERE x.verdict IS NOT NULL GROUP BY 1) k),
                    retention._shown(min(j.clock) FILTER (WHERE j.verdict IS NULL)::text, $6),
                    retention._shown(max(j.clock) FILTER (WHERE j.verdict IS NULL)::text, $6),
                    coalesce(count(*) >= $5, false),
                    (SELECT coalesce(jsonb_object_agg(k.guard, k.n), ''{}'')
                     FROM (SELECT rtrim(x.verdict, ''?'') AS guard, count(*) AS n FROM judged x
                         WHERE x.verdict LIKE ''%%?'' GROUP BY 1) k)
             FROM judged j', coalesce(v_policy.facts ->> 'clock', 'NULL::text'), p_policy || '_rows')
        INTO v_count USING v_slice, v_held, p_policy, p_as_of, p_limit, v_policy.facts -> 'encoding';
    END IF;
    v_count.capped := coalesce(v_count.capped, false);
    RETURN v_count;
END $function$;
