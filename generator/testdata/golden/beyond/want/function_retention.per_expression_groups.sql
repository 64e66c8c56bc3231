-- as owner
-- Finds the groups of policy per_expression that hold more than 1 rows, when a run starts. Reads the
-- whole of app.note, or its index; locks nothing. Answers how many rows are too many.
CREATE OR REPLACE FUNCTION retention.per_expression_groups(p_run bigint, p_pass integer)
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
               ARRAY[x.k1::text, x.k2::text]::text[], x.n - 1
        FROM (SELECT t.owner_id AS k1, (date_trunc('day', t.made_at))::text AS k2, count(*) AS n
              FROM app.note t
              WHERE (coalesce(t.score, 0)) IS NOT NULL
              GROUP BY 1, 2
              HAVING count(*) > 1) x
        RETURNING surplus
    )
    SELECT coalesce(sum(f.surplus), 0) INTO v_surplus FROM found f;
    RETURN v_surplus;
END
$function$;
REVOKE ALL ON FUNCTION retention.per_expression_groups(bigint, integer) FROM PUBLIC;
COMMENT ON FUNCTION retention.per_expression_groups(bigint, integer)
    IS 'pgretain: finds the groups of policy per_expression that hold too many rows';

-- to drop it
