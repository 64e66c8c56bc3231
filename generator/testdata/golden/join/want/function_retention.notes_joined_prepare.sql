-- as owner
-- Reads what policy notes_joined needs to know, once when a run starts: every batch of the run goes by
-- the same. The rows stay until the next run replaces them.
CREATE OR REPLACE FUNCTION retention.notes_joined_prepare(p_run bigint)
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
    DELETE FROM retention.notes_joined_c;
    INSERT INTO retention.notes_joined_c
    SELECT q.* FROM (SELECT kind, kept FROM app.config WHERE days > 0) q;
    RETURN '{}'::jsonb;
END
$function$;
REVOKE ALL ON FUNCTION retention.notes_joined_prepare(bigint) FROM PUBLIC;
COMMENT ON FUNCTION retention.notes_joined_prepare(bigint)
    IS 'pgretain: reads what policy notes_joined needs to know when a run starts';

-- to drop it
