-- _reset_constraints makes deferrable constraints deferred or immediate, as they are when a
-- transaction begins. A batch needs this before its steps if an earlier batch, or another part of
-- this batch, has executed SET CONSTRAINTS in the same transaction. It skips constraints in schemas
-- that the worker may not use.
CREATE OR REPLACE FUNCTION retention._reset_constraints() RETURNS void LANGUAGE plpgsql AS $function$
DECLARE
    v_immediate CONSTANT text := (
        SELECT string_agg(format('%I.%I', n.nspname, c.conname), ', ')
        FROM pg_constraint c JOIN pg_namespace n ON n.oid = c.connamespace
        WHERE c.condeferrable AND NOT c.condeferred AND c.conparentid = 0 AND has_schema_privilege(n.oid, 'USAGE'));
BEGIN
    SET CONSTRAINTS ALL DEFERRED;
    IF v_immediate IS NOT NULL THEN EXECUTE format('SET CONSTRAINTS %s IMMEDIATE', v_immediate); END IF;
END $function$;
