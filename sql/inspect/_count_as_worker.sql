-- _count_as_worker counts the due rows of a policy. If p_limit is given, it counts at most p_limit
-- rows. Otherwise it also counts what keeps the other rows. It locks nothing.
CREATE OR REPLACE FUNCTION retention._count_as_worker(
    p_policy text, p_as_of timestamptz, p_limit bigint, p_scope jsonb, p_older_than interval)
RETURNS retention.due_count LANGUAGE plpgsql STABLE AS $function$
DECLARE v_policy CONSTANT retention.policy := retention._get_policy(p_policy); v_count retention.due_count;
BEGIN
    IF p_limit IS NOT NULL THEN
        v_count.due := retention._due_as_worker(p_policy, p_as_of, p_limit, true, p_scope, p_older_than);
        v_count.kept := '{}'; v_count.capped := v_count.due >= p_limit;
        RETURN v_count;
    END IF;
    EXECUTE format(
        'WITH found AS MATERIALIZED (
             SELECT %s AS clock, d.rel, d.tid, d.verdict FROM %s CROSS JOIN LATERAL (SELECT (d.t).*) t
         ), held AS MATERIALIZED (
             SELECT h.rel, h.tid
             FROM retention._held($3, ARRAY(SELECT f.rel FROM found f WHERE f.verdict IS NULL),
                                  ARRAY(SELECT f.tid FROM found f WHERE f.verdict IS NULL), $4, false) h
             WHERE $2
         ), evaluated AS (
             SELECT f.clock, CASE WHEN f.verdict IS NULL AND (f.rel, f.tid) IN (SELECT h.rel, h.tid FROM held h)
                                  THEN ''hold'' ELSE f.verdict END AS verdict FROM found f
         )
         SELECT count(*) FILTER (WHERE j.verdict IS NULL),
                (SELECT coalesce(jsonb_object_agg(k.guard, k.n), ''{}'')
                 FROM (SELECT rtrim(x.verdict, ''?'') AS guard, count(*) AS n FROM evaluated x
                     WHERE x.verdict IS NOT NULL GROUP BY 1) k),
                retention._decode_clock(min(j.clock) FILTER (WHERE j.verdict IS NULL)::text, $5),
                retention._decode_clock(max(j.clock) FILTER (WHERE j.verdict IS NULL)::text, $5), false,
                (SELECT coalesce(jsonb_object_agg(k.guard, k.n), ''{}'')
                 FROM (SELECT rtrim(x.verdict, ''?'') AS guard, count(*) AS n FROM evaluated x
                     WHERE x.verdict LIKE ''%%?'' GROUP BY 1) k)
         FROM evaluated j', coalesce(v_policy.facts ->> 'clock', 'NULL::text'), retention._rows_call(v_policy))
    INTO v_count
    USING retention._batch_range(p_as_of, p_older_than, p_scope), retention._holds(p_policy, p_as_of), p_policy,
        p_as_of, v_policy.facts -> 'encoding';
    RETURN v_count;
END $function$;
