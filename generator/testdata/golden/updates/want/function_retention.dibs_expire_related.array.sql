-- as owner
-- Rows of other tables that steps of policy dibs_expire would act on for some of its rows, n-th in p_rels and p_tids, if
-- all rows that steps before delete had gone; for retention._held. deletes says what the step does. Locks: none.
CREATE OR REPLACE FUNCTION retention.dibs_expire_related(p_rels oid[], p_tids tid[], p_as_of timestamptz)
RETURNS TABLE (step integer, n integer, rel oid, tid tid, deletes boolean)
LANGUAGE sql
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
    SELECT 2, batch.n::integer, l.tableoid, l.ctid, false
    FROM app.note t
    JOIN unnest(p_rels, p_tids) WITH ORDINALITY AS batch(rel, tid, n) ON t.tableoid = batch.rel AND t.ctid = batch.tid
    JOIN app.loan l ON (l.note_id = t.id)
    UNION ALL
    SELECT 3, batch.n::integer, o.tableoid, o.ctid, false
    FROM app.note t
    JOIN unnest(p_rels, p_tids) WITH ORDINALITY AS batch(rel, tid, n) ON t.tableoid = batch.rel AND t.ctid = batch.tid
    JOIN app.owner o ON (o.id = t.owner_id)
$function$;
REVOKE ALL ON FUNCTION retention.dibs_expire_related(oid[], tid[], timestamp with time zone) FROM PUBLIC;
COMMENT ON FUNCTION retention.dibs_expire_related(oid[], tid[], timestamp with time zone)
    IS 'pgretain: rows of other tables that policy dibs_expire would act on';

-- to drop it
