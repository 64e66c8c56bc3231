-- _keys_to returns the enforced foreign keys that refer to tables. It returns a key whose triggers
-- are disabled as if they were enabled.
-- confdeltype: the key's declared ON DELETE action
-- action: what the delete really does. It is 'r' if SET NULL or SET DEFAULT would write NULL into a
--   NOT NULL column. That raises 23502, so the referenced row stays.
-- If a BEFORE UPDATE row trigger may write another value, or the type has a default, action is the
-- declared action.
-- The function reads pg_depend first, because pg_depend has an index on the referenced table.
CREATE OR REPLACE FUNCTION retention._keys_to(p_tables oid[])
RETURNS TABLE (
    oid oid, conname name, conrelid oid, confrelid oid, conkey smallint[], confkey smallint[], conpfeqop oid[],
    conparentid oid, confupdtype "char", confdeltype "char", deferred boolean, action "char")
LANGUAGE plpgsql STABLE ROWS 1 SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan
SET enable_bitmapscan = off SET jit = off AS $function$
BEGIN
    RETURN QUERY
    SELECT k.oid, k.conname, k.conrelid, k.confrelid, k.conkey, k.confkey, k.conpfeqop, k.conparentid, k.confupdtype,
           k.confdeltype, k.condeferred AND k.confdeltype = 'a', CASE WHEN k.confdeltype IN ('n', 'd') AND EXISTS (
               SELECT FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid
               WHERE a.attrelid = k.conrelid AND a.attnum = ANY (coalesce(k.confdelsetcols, k.conkey))
                 AND (t.typnotnull OR a.attnotnull AND NOT EXISTS (
                     SELECT FROM pg_trigger g WHERE g.tgrelid = k.conrelid AND NOT g.tgisinternal
                       AND g.tgenabled <> 'D' AND g.tgtype & 19 = 19))
                 AND (k.confdeltype = 'n' OR NOT a.atthasdef AND a.attidentity = '' AND t.typdefault IS NULL))
                  THEN 'r' ELSE k.confdeltype END
    FROM pg_constraint k
    WHERE k.contype = 'f' AND k.confrelid = ANY (p_tables) AND k.oid = ANY (ARRAY(
              SELECT d.objid FROM pg_depend d WHERE d.refclassid = 'pg_class'::regclass AND d.refobjid = ANY (p_tables)
                AND d.classid = 'pg_constraint'::regclass))
      AND coalesce((to_jsonb(k) ->> 'conenforced')::boolean, true);
END $function$;
