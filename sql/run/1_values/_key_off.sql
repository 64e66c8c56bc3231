-- Whether the triggers that make a foreign key act on deletes are switched off (ALTER TABLE ... DISABLE TRIGGER): true
-- for all of them, false for none, NULL for those of some partitions. Reads the catalog only.
CREATE OR REPLACE FUNCTION retention._key_off(p_key oid) RETURNS boolean
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $function$
    WITH RECURSIVE copy AS (
        SELECT p_key AS oid
        UNION SELECT k.oid FROM copy c JOIN pg_constraint k ON k.conparentid = c.oid
    )
    SELECT CASE WHEN bool_and(t.tgenabled IN ('D', 'R')) THEN true WHEN bool_or(t.tgenabled IN ('D', 'R')) THEN NULL
        ELSE false END
    FROM copy c JOIN pg_trigger t ON t.tgconstraint = c.oid AND t.tgtype & 8 <> 0
    JOIN pg_class r ON r.oid = t.tgrelid AND r.relkind <> 'p'
$function$;
