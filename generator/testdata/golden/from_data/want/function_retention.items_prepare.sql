-- as owner
-- Reads what policy items needs to know, once when a run starts: every batch of the run goes by
-- the same. The rows stay until the next run replaces them.
CREATE OR REPLACE FUNCTION retention.items_prepare(p_run bigint)
RETURNS jsonb
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp
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
    v_as_of CONSTANT timestamptz := (retention._running(p_run)).as_of;
BEGIN
    DELETE FROM retention.items_c;
    INSERT INTO retention.items_c
    SELECT q.* FROM (SELECT kind, max(days) AS days FROM app.config WHERE v_as_of IS NOT NULL GROUP BY kind) q;
    RETURN jsonb_build_object('up_to_1', (SELECT max(used_at) FROM app.loan)::timestamptz::text);
END
$function$;
REVOKE ALL ON FUNCTION retention.items_prepare(bigint) FROM PUBLIC;
COMMENT ON FUNCTION retention.items_prepare(bigint)
    IS 'pgretain: reads what policy items needs to know when a run starts';

-- to drop it
