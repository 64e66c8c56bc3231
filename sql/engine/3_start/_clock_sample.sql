-- _clock_sample returns values of a policy's encoded clocks, newest first. For each clock (n) it
-- returns at most 100 values of each side:
-- - low: before the first plausible time
-- - high: far after p_now
-- - range: in between
-- It reads only rows that the policy's condition selects at p_as_of, like the run of p_as_of.
CREATE OR REPLACE FUNCTION retention._clock_sample(p_policy text, p_as_of timestamptz, p_now timestamptz)
RETURNS TABLE (n integer, side text, value text, is_key boolean, is_foreign boolean)
LANGUAGE plpgsql STABLE SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off AS $function$
DECLARE
    v_policy CONSTANT retention.policy := retention._get_policy(p_policy);
    v_batch CONSTANT retention.batch_range := retention._batch_range(p_as_of); v_clock record;
BEGIN
    FOR v_clock IN
        SELECT c.*, e.n::integer AS n, coalesce(c."from", v_policy.joined,
                   format('FROM %s t', retention._table(v_policy.table_name)::regclass)) AS rows,
               c.indexed AND c.partial IS NOT TRUE AND c."where" IS NOT NULL AND v_policy.joined IS NULL AS filtered
        FROM jsonb_array_elements(v_policy.facts -> 'clocks') WITH ORDINALITY e (clock, n)
        CROSS JOIN LATERAL jsonb_to_record(e.clock) c (value text, since text, until text, key text, "foreign" text,
            "from" text, indexed boolean, partial boolean, "where" text)
    LOOP
        -- If the index is not partial on the policy's condition, only its first 1000 entries on
        -- each side are read.
        RETURN QUERY EXECUTE (
            SELECT string_agg(format(CASE WHEN v_clock.filtered
                THEN '(SELECT %1$s, %2$L, (%3$s)::text, %4$s, %5$s FROM (SELECT t.* %6$s WHERE %7$s
                       ORDER BY %3$s DESC LIMIT 1000) t WHERE %8$s ORDER BY %3$s DESC LIMIT 100)'
                ELSE '(SELECT %1$s, %2$L, (%3$s)::text, %4$s, %5$s %6$s WHERE %7$s AND %8$s
                       ORDER BY %3$s DESC LIMIT 100)' END,
                v_clock.n, s.side, v_clock.value, coalesce(v_clock.key, 'true'), coalesce(v_clock."foreign", 'false'),
                v_clock.rows, format(s.condition, v_clock.value, v_clock.since, v_clock.until),
                coalesce(v_clock."where", 'true')), ' UNION ALL ')
            FROM (VALUES ('low', '%1$s < %2$s'), ('high', '%1$s > %3$s'),
                         ('range', '%1$s >= %2$s AND %1$s <= %3$s')) s (side, condition))
        USING v_batch, p_now;
    END LOOP;
END $function$;
