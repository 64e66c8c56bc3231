-- as worker
-- Where a cursor of policy claimed is: one row, or none.
CREATE OR REPLACE FUNCTION retention.claimed_cursor(p_id text) RETURNS TABLE (at bigint, hash text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp SET timezone = 'UTC'
SET datestyle = 'ISO, YMD' SET intervalstyle = 'postgres' SET bytea_output = 'hex' SET extra_float_digits = 1
SET standard_conforming_strings = on SET transform_null_equals = off SET array_nulls = on SET row_security = off
SET jit = off SET enable_seqscan = off AS $function$
    SELECT t.at, t.hash FROM app.marker t WHERE t.id = p_id
$function$;

-- to drop it
