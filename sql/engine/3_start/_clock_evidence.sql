-- _clock_evidence checks the encoded clocks of a policy against a sample of their values. It
-- returns a row for each clock.
-- seen: how many values the sample has
-- lost: how many of them have no plausible time
-- explained: how many values contradict the encoding
-- fault: why the encoding cannot be right, NULL if it can be
-- The encoding is wrong if more values contradict it than support it. A value contradicts the
-- encoding if it is not a key of the encoding, or if another way of counting time makes it
-- plausible.
-- Values that nothing explains (0, the year 9999) count for neither side. A single value far in the
-- future does not count either, because it may stand for "never".
CREATE OR REPLACE FUNCTION retention._clock_evidence(p_policy text, p_as_of timestamptz)
RETURNS TABLE (clock text, kind text, seen bigint, lost bigint, explained bigint, example text, fault text)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET timezone = 'UTC'
SET datestyle = 'ISO, YMD' SET jit = off AS $function$
#variable_conflict use_column
DECLARE
    c_year CONSTANT numeric := 31557600000;
    v_policy CONSTANT retention.policy := retention._get_policy(p_policy);
    v_now CONSTANT timestamptz := greatest(p_as_of, clock_timestamp());
    v_until CONSTANT numeric := extract(epoch FROM v_now) * 1000;
    v_recent CONSTANT numeric := extract(epoch FROM least(p_as_of, clock_timestamp())) * 1000 - c_year;
BEGIN
    IF NOT v_policy.facts ? 'clocks' THEN RETURN; END IF;
    RETURN QUERY WITH reading AS MATERIALIZED (
        SELECT r.* FROM retention._clock_readings() r
    ), sample AS MATERIALIZED (
        SELECT s.*, c.name, c.kind, c.years, c.checked, l.place, e.clock AS encoding,
               CASE WHEN c.kind IN ('epoch_s', 'epoch_ms', 'snowflake') THEN s.value::numeric END AS number,
               CASE c.kind WHEN 'epoch_s' THEN 1000 WHEN 'epoch_ms' THEN 1
                   WHEN 'snowflake' THEN 1 / 2::numeric ^ coalesce(c.shift, 0) END AS unit,
               coalesce(c.epoch, 0) AS start
        FROM retention._query_as_worker(
                 'SELECT to_jsonb(s) FROM retention._clock_sample($1 ->> 0, ($1 ->> 1)::timestamptz,
                      ($1 ->> 2)::timestamptz) s',
                 jsonb_build_array(p_policy, p_as_of, v_now), p_policy) WITH ORDINALITY l (sampled, place)
        CROSS JOIN LATERAL jsonb_to_record(l.sampled)
            s (n integer, side text, value text, is_key boolean, is_foreign boolean)
        JOIN jsonb_array_elements(v_policy.facts -> 'clocks') WITH ORDINALITY e (clock, n) ON e.n = s.n
        CROSS JOIN LATERAL jsonb_to_record(e.clock) c (name text, kind text, years integer, checked boolean,
            shift integer, epoch numeric)
    ), evaluated AS (
        SELECT s.*, r.label, r.at, (r.label IS NOT NULL OR s.number IS NULL AND (NOT s.is_key OR s.side <> 'range')
                   AND translate(s.value, '-', '') NOT IN (repeat('0', 32), repeat('f', 32)))
               AND (s.side <> 'high' OR NOT s.is_key OR s.many_high) AS against
        FROM (SELECT x.*, min(x.value) FILTER (WHERE x.side = 'high') OVER (PARTITION BY x.n)
                  <> max(x.value) FILTER (WHERE x.side = 'high') OVER (PARTITION BY x.n) AS many_high
              FROM sample x) s LEFT JOIN LATERAL (
            SELECT x.label, i.at FROM reading x
            CROSS JOIN LATERAL (SELECT x.start + s.number * x.unit AS at, s.start + s.number * s.unit AS own) i
            -- A snowflake of the first millisecond would be a small number, such as 1.
            WHERE (x.unit, x.start) <> (s.unit, s.start) AND i.at >= x.start + 1
                AND i.at <= v_until + s.years * c_year AND CASE
                WHEN s.side <> 'range' AND x.ordinary THEN i.at >= 631152000000  -- 1990
                WHEN s.side <> 'range' THEN i.at >= v_recent
                ELSE s.checked IS NOT TRUE AND i.at >= v_recent AND i.own < v_recent END
            ORDER BY x.ordinary DESC, i.at DESC LIMIT 1) r ON s.number IS NOT NULL
    ), counted AS (
        SELECT j.n, count(*) AS seen, count(*) FILTER (WHERE j.side = 'low' OR NOT j.is_key) AS lost,
               count(*) FILTER (WHERE j.against) AS against,
               count(*) FILTER (WHERE j.side = 'range' AND NOT j.against) AS fit,
               count(*) FILTER (WHERE j.side = 'range' AND NOT j.against AND j.is_foreign) AS alien
        FROM evaluated j GROUP BY j.n
    )
    SELECT j.name, j.kind, c.seen, c.lost, c.against, j.value, CASE
        WHEN c.against + a.alien <= c.fit - a.alien THEN NULL
        WHEN j.label IS NOT NULL THEN format(
            'clock "%s" of table "%s" does not hold %s: %s would be %s, but read as %s it is %s', j.name,
            v_policy.table_name, j.kind, j.value, retention._decode_clock(j.value, j.encoding), j.label,
                to_timestamp(j.at / 1000))
        ELSE format(
            'clock "%s" of table "%s" does not hold %s: of %s sampled values, %s are not plausible, for example %s%s',
            j.name, v_policy.table_name, j.kind, c.seen, c.against + a.alien, j.value,
            CASE WHEN j.is_key THEN ', which would be ' || retention._decode_clock(j.value, j.encoding) ELSE '' END) END
    FROM counted c CROSS JOIN LATERAL (  -- a few of many ULIDs look like other keys by chance
        SELECT CASE WHEN c.alien >= 5 THEN c.alien ELSE 0 END AS alien) a
    CROSS JOIN LATERAL (
        SELECT x.* FROM evaluated x WHERE x.n = c.n
        ORDER BY (x.against OR x.is_foreign AND a.alien > 0) DESC, (x.side = 'low' OR NOT x.is_key) DESC, x.place
        LIMIT 1) j
    ORDER BY j.n;
END $function$;
