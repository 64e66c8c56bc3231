-- as owner
-- What "pgretain verify" asks about the rows of policy in_own_words, as JSON:
--   no_clock: how many have no clock, so that they never go
--   ahead: how many have a clock that lies far ahead; first, last: the least and the greatest of these;
--   all_ahead: whether no row has an earlier one
-- Counting stops at p_limit, except in archives. Pinned as the batch is. Locks nothing.
CREATE OR REPLACE FUNCTION retention.in_own_words_facts(p_as_of timestamptz, p_runs bigint[], p_limit bigint)
RETURNS jsonb
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
    v_far CONSTANT timestamptz := v_as_of + interval '1 years';
    v_ahead CONSTANT timestamptz := v_far;
    v_out jsonb := '{}';
BEGIN
    v_out := v_out || (
        SELECT jsonb_build_object('no_clock', count(*))
        FROM (SELECT
              FROM "app"."loan" t
              WHERE t."used_at" IS NULL
              LIMIT p_limit) x);
    v_out := v_out || (
        SELECT jsonb_build_object('ahead', count(*), 'first', min(x.clock)::text, 'last', max(x.clock)::text)
        FROM (SELECT t."used_at" AS clock
              FROM "app"."loan" t
              WHERE t."used_at" > v_ahead
              LIMIT p_limit) x);
    IF (v_out ->> 'ahead')::bigint > 0 THEN
        v_out := v_out || jsonb_build_object('all_ahead', NOT EXISTS (
            SELECT
            FROM "app"."loan" t
            WHERE t."used_at" <= v_ahead));
    END IF;
    RETURN v_out;
END
$function$;
REVOKE ALL ON FUNCTION retention.in_own_words_facts(timestamp with time zone, bigint[], bigint) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION retention.in_own_words_facts(timestamp with time zone, bigint[], bigint)
    TO retention_runner, retention_operator, retention_viewer;
COMMENT ON FUNCTION retention.in_own_words_facts(timestamp with time zone, bigint[], bigint)
    IS 'pgretain: what pgretain verify asks about the rows of policy in_own_words';

-- to drop it
DROP FUNCTION IF EXISTS retention.in_own_words_facts(timestamp with time zone, bigint[], bigint);
