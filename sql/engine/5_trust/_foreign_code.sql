-- _foreign_code returns a sentence for each piece of foreign code. That is code that would run when
-- the policies or reports are evaluated, and whose owner is not trusted. It reports:
-- - the result of _untrusted for the relations and schemas of the policies, and for tables whose
--   foreign keys are checked on delete
-- - roles that may create triggers or foreign keys on the tables of the policies, because the
--   catalog does not record who created one
-- - event triggers, if the policies drop tables
CREATE OR REPLACE FUNCTION retention._foreign_code(p_policies retention.policy[]) RETURNS SETOF text
LANGUAGE plpgsql STABLE ROWS 1 SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off AS $function$
DECLARE
    v_trusted CONSTANT oid[] := retention._trusted();
    v_tables CONSTANT oid[] := retention._partition_tree(ARRAY(
        SELECT unnest(ARRAY(SELECT jsonb_object_keys(p.dependencies)) || p.changes || p.reach)
        FROM unnest(p_policies) p GROUP BY 1));
    v_schemas CONSTANT text[] := ARRAY(
        SELECT unnest(string_to_array(i.search_path, ', ')) FROM retention.install i
        UNION ALL SELECT unnest(p.schemas) FROM unnest(p_policies) p);
BEGIN
    RETURN QUERY SELECT u FROM retention._untrusted(
        v_tables || ARRAY(SELECT k.conrelid FROM retention._keys_to(v_tables) k), v_schemas, v_trusted) u;
    RETURN QUERY SELECT format('%s has %s on table %s; REVOKE %2$s ON %3$s FROM %4$s',
                  CASE x.grantee WHEN 0 THEN 'everybody (PUBLIC)' ELSE format('role "%s"', pg_get_userbyid(x.grantee))
                  END, string_agg(x.privilege, ', ' ORDER BY x.privilege), x.rel::regclass,
                  CASE x.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(x.grantee)) END)
    FROM (
        SELECT c.oid AS rel, a.grantee, a.privilege_type AS privilege
        FROM pg_class c CROSS JOIN aclexplode(c.relacl) a
        WHERE c.oid = ANY (v_tables) AND c.relkind IN ('r', 'p') AND a.grantee <> c.relowner
        UNION
        SELECT t.attrelid, a.grantee, format('%s (%I)', a.privilege_type, t.attname)
        FROM pg_attribute t CROSS JOIN aclexplode(t.attacl) a
        WHERE t.attrelid = ANY (v_tables) AND t.attacl IS NOT NULL) x
    WHERE x.privilege ~ '^(TRIGGER|REFERENCES)' AND x.grantee <> ALL (v_trusted)
      AND NOT pg_has_role(x.grantee, v_trusted[1], 'MEMBER')
    GROUP BY x.rel, x.grantee ORDER BY 1;
    IF EXISTS (SELECT FROM unnest(p_policies) p
               WHERE p.partitions OR p.steps @? '$[*] ? (@.verb == "drop table")') THEN
        RETURN QUERY SELECT format('event trigger "%s" calls function %s of role "%s", which is not trusted; '
                      'change the owner of the function, drop the trigger, or list the role under "trust" of the '
                      'install', e.evtname, e.evtfoid::regprocedure, pg_get_userbyid(p.proowner))
        FROM pg_event_trigger e JOIN pg_proc p ON p.oid = e.evtfoid
        WHERE e.evtenabled <> 'D' AND p.proowner <> ALL (v_trusted)
          AND NOT pg_has_role(p.proowner, v_trusted[1], 'MEMBER') ORDER BY 1;
    END IF;
END $function$;
