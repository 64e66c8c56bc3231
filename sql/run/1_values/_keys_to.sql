-- The foreign keys that refer to tables, without those that are not enforced. By pg_depend, which has an index for it.
CREATE OR REPLACE FUNCTION retention._keys_to(p_tables oid[]) RETURNS SETOF pg_constraint
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan
SET enable_bitmapscan = off AS $function$
BEGIN
    RETURN QUERY SELECT k.* FROM pg_constraint k
    WHERE k.contype = 'f' AND k.confrelid = ANY (p_tables) AND k.oid = ANY (ARRAY(
              SELECT d.objid FROM pg_depend d WHERE d.refclassid = 'pg_class'::regclass AND d.refobjid = ANY (p_tables)
                AND d.classid = 'pg_constraint'::regclass))
      AND coalesce((to_jsonb(k) ->> 'conenforced')::boolean, true);
END $function$;
