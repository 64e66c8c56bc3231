-- as owner
-- Finds the groups of policy notes_any that hold more than 50 rows, when a run starts. Reads the
-- whole of app.note, or its index; locks nothing. Answers how many rows are too many.
CREATE OR REPLACE FUNCTION retention.notes_any_groups(p_run bigint, p_pass integer)
RETURNS bigint
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
    v_surplus bigint;
BEGIN
    WITH found AS (
        INSERT INTO retention.run_group (run_id, pass, ordinal, key, surplus)
        SELECT p_run, p_pass, row_number() OVER (),
               ARRAY[x.k1::text]::text[], x.n - 50
        FROM (SELECT t.owner_id AS k1, count(*) AS n
              FROM app.note t
              WHERE (t.kind <> 'pinned')
              GROUP BY 1
              HAVING count(*) > 50) x
        RETURNING surplus
    )
    SELECT coalesce(sum(f.surplus), 0) INTO v_surplus FROM found f;
    RETURN v_surplus;
END
$function$;
REVOKE ALL ON FUNCTION retention.notes_any_groups(bigint, integer) FROM PUBLIC;
COMMENT ON FUNCTION retention.notes_any_groups(bigint, integer)
    IS 'pgretain: finds the groups of policy notes_any that hold too many rows';

-- to drop it
