-- as owner
-- What "pgretain verify" asks about the rows of policy signals, as JSON:
--   ahead: how many have a clock that lies far ahead; first, last: the least and the greatest of these;
--   all_ahead: whether no row has an earlier one
--   app.old_note: how many rows it has of each of p_runs
-- Counting stops at p_limit, except in archives. Pinned as the batch is. Locks nothing.
CREATE OR REPLACE FUNCTION retention.signals_facts(p_as_of timestamptz, p_runs bigint[], p_limit bigint)
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
        SELECT jsonb_build_object('ahead', count(*), 'first', min(x.clock)::text, 'last', max(x.clock)::text)
        FROM (SELECT t."made_at" AS clock
              FROM "app"."note" t
              WHERE t."made_at" > v_ahead
              LIMIT p_limit) x);
    IF (v_out ->> 'ahead')::bigint > 0 THEN
        v_out := v_out || jsonb_build_object('all_ahead', NOT EXISTS (
            SELECT
            FROM "app"."note" t
            WHERE t."made_at" <= v_ahead));
    END IF;
    v_out := v_out || jsonb_build_object('app.old_note', (
        SELECT coalesce(jsonb_object_agg(x.run, x.n), '{}')
        FROM (SELECT a."run_id" AS run, count(*) AS n FROM "app"."old_note" a
              WHERE a."run_id" = ANY (p_runs) GROUP BY 1) x));
    RETURN v_out;
END
$function$;
REVOKE ALL ON FUNCTION retention.signals_facts(timestamp with time zone, bigint[], bigint) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION retention.signals_facts(timestamp with time zone, bigint[], bigint)
    TO retention_runner, retention_operator, retention_viewer;
COMMENT ON FUNCTION retention.signals_facts(timestamp with time zone, bigint[], bigint)
    IS 'pgretain: what pgretain verify asks about the rows of policy signals';

-- to drop it
DROP FUNCTION IF EXISTS retention.signals_facts(timestamp with time zone, bigint[], bigint);
