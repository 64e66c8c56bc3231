-- as owner
-- What policy ulid finds at an instant: the rows that are due, and what keeps the others.
-- For preview, breaker and verifier: pinned as the batch is, so that both mean the same.
-- p_limit stops counting there; p_guards false leaves "keep" and holds out; p_scope and p_older_than
-- are those of a run. Locks nothing.
CREATE OR REPLACE FUNCTION retention.ulid_count(
    p_as_of timestamptz, p_limit bigint DEFAULT NULL, p_guards boolean DEFAULT true,
    p_scope jsonb DEFAULT NULL, p_older_than interval DEFAULT NULL)
RETURNS retention.due_count
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = pg_catalog, "public", pg_temp
SET timezone = 'UTC'
SET datestyle = 'ISO, YMD'
SET intervalstyle = 'postgres'
SET bytea_output = 'hex'
SET extra_float_digits = 1
SET standard_conforming_strings = on
SET transform_null_equals = off
SET array_nulls = on
SET row_security = off
SET jit = off
AS $function$
DECLARE
    v_as_of CONSTANT timestamptz := p_as_of;
    v_cutoff_1_1 CONSTANT uuid := retention._uuid_floor(retention._cutoff(v_as_of, 0, 7, '00:00:00', 'UTC'));
    v_held CONSTANT boolean := EXISTS (
        SELECT FROM retention.hold h
        WHERE h.table_name = ANY (ARRAY['app.clocks']::text[])
          AND h.released_at IS NULL AND (h.until IS NULL OR h.until > v_as_of));
    v_out retention.due_count;
BEGIN
    IF NOT p_guards OR p_limit IS NOT NULL AND NOT v_held THEN
        SELECT count(*) INTO v_out.due
        FROM (SELECT
              FROM "app"."clocks" t
              WHERE t."ulid_uuid" < v_cutoff_1_1
              LIMIT p_limit) x;
        v_out.capped := coalesce(v_out.due >= p_limit, false);
        RETURN v_out;
    END IF;
    WITH judged AS (
        SELECT (t."ulid_uuid")::text AS clock,
               CASE
                   WHEN v_held
                    AND (EXISTS (SELECT FROM retention.hold h
                                 WHERE h.table_name = 'app.clocks' AND h.by_column IS NULL
                                   AND h.released_at IS NULL AND (h.until IS NULL OR h.until > v_as_of)
                                   AND h.key = ARRAY[t."id"::text])
                         OR ((SELECT retention._owner_holds('app.clocks', v_as_of))
                             AND retention._held_by_owner('app.clocks', to_jsonb(t.*), v_as_of))) THEN 'hold'
                   ELSE NULL
               END AS kept_by
        FROM "app"."clocks" t
        WHERE t."ulid_uuid" < v_cutoff_1_1
    ), counted AS (
        SELECT j.clock, j.kept_by FROM judged j
        WHERE p_limit IS NULL OR j.kept_by IS NULL
        LIMIT p_limit
    )
    SELECT count(*) FILTER (WHERE c.kept_by IS NULL),
           (SELECT coalesce(jsonb_object_agg(k.kept_by, k.n), '{}')
            FROM (SELECT rtrim(x.kept_by, '?') AS kept_by, count(*) AS n FROM counted x
                  WHERE x.kept_by IS NOT NULL GROUP BY 1) k),
           min(c.clock) FILTER (WHERE c.kept_by IS NULL)::text,
           max(c.clock) FILTER (WHERE c.kept_by IS NULL)::text,
           coalesce(count(*) >= p_limit, false),
           (SELECT coalesce(jsonb_object_agg(k.kept_by, k.n), '{}')
            FROM (SELECT rtrim(x.kept_by, '?') AS kept_by, count(*) AS n FROM counted x
                  WHERE x.kept_by LIKE '%?' GROUP BY 1) k)
    INTO v_out
    FROM counted c;
    RETURN v_out;
END
$function$;
REVOKE ALL ON FUNCTION retention.ulid_count(timestamp with time zone, bigint, boolean, jsonb, interval) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION retention.ulid_count(timestamp with time zone, bigint, boolean, jsonb, interval)
    TO retention_operator, retention_viewer;
COMMENT ON FUNCTION retention.ulid_count(timestamp with time zone, bigint, boolean, jsonb, interval)
    IS 'pgretain: what policy ulid finds at an instant';

-- to drop it
DROP FUNCTION IF EXISTS retention.ulid_count(timestamp with time zone, bigint, boolean, jsonb, interval);
