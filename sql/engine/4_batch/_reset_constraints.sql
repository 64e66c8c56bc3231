-- _reset_constraints makes deferrable constraints deferred or immediate, as they are when a
-- transaction begins. A batch needs this before its steps if an earlier batch, or another part of
-- this batch, has executed SET CONSTRAINTS in the same transaction. It skips constraints in schemas
-- that the worker may not use.
-- If several constraints of a schema have one name, SET CONSTRAINTS changes all of them. If one of
-- them is initially deferred, all of them stay deferred.
CREATE OR REPLACE FUNCTION retention._reset_constraints() RETURNS void LANGUAGE plpgsql AS $function$
DECLARE
    v_immediate CONSTANT text := (
        SELECT string_agg(x.name, ', ') FROM (
            SELECT format('%I.%I', n.nspname, c.conname) AS name
            FROM pg_constraint c JOIN pg_namespace n ON n.oid = c.connamespace
            WHERE c.condeferrable AND c.conparentid = 0 AND has_schema_privilege(n.oid, 'USAGE')
            GROUP BY n.nspname, c.conname HAVING NOT bool_or(c.condeferred)) x);
BEGIN
    SET CONSTRAINTS ALL DEFERRED;
    IF v_immediate IS NOT NULL THEN EXECUTE format('SET CONSTRAINTS %s IMMEDIATE', v_immediate); END IF;
END $function$;
