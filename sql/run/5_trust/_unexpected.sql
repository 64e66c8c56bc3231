-- What in the catalog policies were not made for (their expects), a sentence each; no row: they may run. A protected
-- table (with all below it, or under its root) has rows of those that one changes; relations that it names, columns and
-- keys that it relies on; foreign keys that its deletes and updates would set off; tables that inherit from, and rules
-- on what it changes. What it does not rely on may be as it likes. p_code: foreign code, too, for which _pin looks
-- before anything is evaluated. Reads the catalog only; batches ask under their locks.
CREATE OR REPLACE FUNCTION retention._unexpected(p_policies retention.policy[], p_code boolean DEFAULT true)
RETURNS TABLE (policy text, why text)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET enable_hashjoin = off SET enable_mergejoin = off AS $function$
DECLARE
    c_again CONSTANT text := '; undo it, or run "pgretain snapshot", then "pgretain generate", and migrate';
    v_protect CONSTANT text[] := (SELECT i.protect FROM retention.install i);
    v_policy retention.policy; v_rel record; v_root oid;
BEGIN
    IF p_code AND EXISTS (SELECT FROM retention._foreign_code(p_policies)) THEN
        RETURN QUERY SELECT p.name, f FROM unnest(p_policies) p CROSS JOIN retention._foreign_code(ARRAY[p]) f;
    END IF;
    FOREACH v_policy IN ARRAY p_policies LOOP
        policy := v_policy.name;
        IF cardinality(v_protect) > 0 THEN
            RETURN QUERY SELECT policy, format('the policy changes rows of table "%s", which is protected (%s)', x.name,
                                       array_to_string(v_protect, ', '))
            FROM unnest(v_policy.changes || v_policy.reach) x (name)
            WHERE retention._logical(retention._family(ARRAY[x.name])) && retention._family(v_protect);
        END IF;
        -- Rows are found again by ctid, in heap tables of this server that nobody else fills; partitions are not, and
        -- foreign ones are no rows of a policy on them.
        v_root := CASE WHEN v_policy.partitions THEN (retention._named(ARRAY[v_policy.table_name]))[1] END;
        RETURN QUERY SELECT policy, format('table %s is %s; rows of such a table cannot be taken', c.oid::regclass,
                                   x.what) FROM pg_class c LEFT JOIN pg_am a ON a.oid = c.relam
        LEFT JOIN pg_subscription_rel r ON r.srrelid = c.oid LEFT JOIN pg_subscription s ON s.oid = r.srsubid
        CROSS JOIN LATERAL (SELECT CASE WHEN s.oid IS NOT NULL THEN format('filled by subscription "%s"', s.subname)
            WHEN to_regclass('pg_catalog.pg_dist_partition') IS NOT NULL AND c.oid IN (
                SELECT retention._distributed()) THEN 'distributed by Citus'
            WHEN pg_partition_root(c.oid) = v_root AND (c.relkind <> 'f' OR EXISTS (
                SELECT FROM pg_inherits i WHERE i.inhrelid = c.oid AND i.inhparent = v_root)) THEN NULL
            WHEN c.relkind = 'f' THEN 'a foreign one'
            WHEN c.relkind <> 'p' AND a.amname <> 'heap' THEN format('stored by access method "%s"', a.amname)
            END AS what) x
        WHERE c.oid = ANY (retention._family(v_policy.changes || v_policy.reach)) AND x.what IS NOT NULL;
        IF cardinality(v_policy.deletes) > 0 AND v_policy.writes::text LIKE '%INSERT %' THEN
            RETURN QUERY SELECT policy, format('table %s is unlogged, and a crash empties it of what was moved there; '
                                  'ALTER TABLE %1$s SET LOGGED', c.oid::regclass)
            FROM pg_class c WHERE c.relpersistence = 'u' AND c.oid = ANY (retention._family(ARRAY(
                SELECT substr(w, 8) FROM unnest(v_policy.writes) w WHERE w LIKE 'INSERT %')));
        END IF;
        FOR v_rel IN
            SELECT e.key AS name, e.value AS want, c.oid, c.relhasrules, c.relhassubclass,
                   e.value ?| '{whole,key}' OR c.relhasrules OR c.relhassubclass AS more,
                   CASE c.relkind WHEN 'r' THEN 'table' WHEN 'p' THEN 'partitioned' WHEN 'v' THEN 'view' WHEN 'f' THEN
                       'foreign' WHEN 'm' THEN 'materialized view' ELSE c.relkind::text END AS kind
            FROM jsonb_each(v_policy.expects) e LEFT JOIN pg_class c ON c.oid = ANY (retention._named(ARRAY[e.key]))
            ORDER BY 1
        LOOP
            IF v_rel.kind IS DISTINCT FROM coalesce(v_rel.want ->> 'kind', 'table') THEN
                RETURN QUERY SELECT policy, format('%s "%s" is %s', coalesce(v_rel.want ->> 'kind', 'table'),
                    v_rel.name, coalesce('a ' || v_rel.kind || ' now', 'not there')) || c_again;
                CONTINUE;
            END IF;
            RETURN QUERY SELECT policy, format('column "%s" of "%s" is %s', k.key, v_rel.name,
                                  coalesce('of type ' || t.type || ', not ' || k.value, 'not there')) || c_again
            FROM jsonb_each_text(v_rel.want -> 'columns') k
            LEFT JOIN pg_attribute a ON a.attrelid = v_rel.oid AND a.attname = k.key::name AND NOT a.attisdropped
            CROSS JOIN LATERAL (
                SELECT format_type(a.atttypid, a.atttypmod) || CASE WHEN a.attcollation::regcollation::text
                           IN ('-', '"default"', '"C"', '"POSIX"', 'ucs_basic') THEN ''
                           ELSE ' COLLATE ' || a.attcollation::regcollation END
                           || CASE WHEN k.value LIKE '% NOT NULL' AND a.attnotnull AND NOT EXISTS (
                                  SELECT FROM pg_constraint n WHERE n.conrelid = a.attrelid AND n.contype = 'n'
                                  AND NOT n.convalidated AND n.conkey = ARRAY[a.attnum])
                              THEN ' NOT NULL' ELSE '' END AS type) t
            WHERE t.type IS DISTINCT FROM k.value ORDER BY k.key;
            CONTINUE WHEN NOT v_rel.more;  -- what is not asked for need not be planned
            IF v_rel.want ? 'whole' THEN
                RETURN QUERY
                SELECT policy, format('table "%s" has a column that its archive step does not know: %s', v_rel.name,
                                      a.attname) || c_again
                FROM pg_attribute a WHERE a.attrelid = v_rel.oid AND a.attnum > 0 AND NOT a.attisdropped
                  AND NOT v_rel.want -> 'columns' ? a.attname;
            END IF;
            IF v_rel.want ? 'key' AND NOT EXISTS (
                SELECT FROM pg_index i
                WHERE i.indrelid = v_rel.oid AND i.indisunique AND i.indisvalid AND i.indpred IS NULL
                  AND i.indexprs IS NULL AND v_rel.want -> 'key' @> (
                      SELECT jsonb_agg(a.attname) FROM unnest(i.indkey::int2[]) WITH ORDINALITY k (attnum, n)
                      JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.attnum
                      WHERE k.n <= i.indnkeyatts AND a.attnotnull HAVING count(*) = i.indnkeyatts)) THEN
                RETURN QUERY SELECT policy, format('the rows of table "%s" are found by (%s), which is not unique '
                    'any more', v_rel.name, btrim(v_rel.want ->> 'key', '[]')) || c_again;
            END IF;
            -- Statements go into children as well, where keys are not unique, and rows are none of the policy's.
            IF v_rel.relhassubclass AND v_rel.kind = 'table' AND v_rel.name = ANY (v_policy.related || CASE
                WHEN v_policy.table_name = ANY (v_policy.changes) THEN v_policy.table_name END) THEN
                RETURN QUERY SELECT policy, format('table "%s" inherits from "%s", so that steps go into it as well; '
                              'ALTER TABLE %s NO INHERIT %s', retention._table_name(i.inhrelid), v_rel.name,
                              i.inhrelid::regclass, v_rel.oid::regclass)
                FROM pg_inherits i WHERE i.inhparent = v_rel.oid;
            END IF;
            IF v_rel.relhasrules AND v_rel.kind NOT LIKE '%view' THEN
                RETURN QUERY
                SELECT policy, format('rule "%s" on table "%s" changes what the policy does; DROP RULE %1$I ON %3$s',
                                      r.rulename, v_rel.name, v_rel.oid::regclass)
                FROM pg_rewrite r
                WHERE r.ev_class = v_rel.oid AND r.ev_enabled IN ('O', 'A')
                  AND (r.is_instead OR pg_get_ruledef(r.oid) !~ '\mDO\s+NOTHING;$')
                  AND (v_rel.name = ANY (v_policy.reach) AND r.ev_type IN ('2', '4') OR CASE r.ev_type
                       WHEN '2' THEN 'UPDATE ' WHEN '3' THEN 'INSERT ' WHEN '4' THEN 'DELETE ' END || v_rel.name
                       = ANY (v_policy.writes));
            END IF;
        END LOOP;
        IF v_policy.steps @? '$.set' THEN
            RETURN QUERY
            SELECT policy, format('foreign key %s -> %s (%s) carries on what a step sets', retention._table_name(
                                  k.confrelid), retention._table_name(k.conrelid), k.conname) || c_again
            FROM jsonb_path_query(v_policy.steps, '$[*] ? (exists (@.set))') s
            JOIN retention._keys_to(retention._family(ARRAY[s ->> 'table'])) k ON k.confupdtype IN ('c', 'n', 'd')
            WHERE EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = k.confrelid AND a.attnum = ANY (k.confkey)
                          AND s -> 'set' ? a.attname);
        END IF;
        RETURN QUERY
        SELECT policy, format('foreign key %s -> %s (%s) would change rows, for which the policy was not made',
                      retention._table_name(k.confrelid), retention._table_name(k.conrelid), k.conname) || c_again
        FROM retention._keys_to(retention._family(v_policy.deletes || v_policy.statement_deletes
            || ARRAY(SELECT e.key FROM jsonb_each(v_policy.expects) e WHERE e.value ? 'cascades'))) k
        WHERE k.action IN ('c', 'n', 'd') AND k.conparentid = '0'
          AND (v_policy.expects -> retention._table_name(k.confrelid) -> 'cascades' ? format('%s (%s) %s',
               retention._table_name(k.conrelid), (SELECT string_agg(a.attname, ', ' ORDER BY a.attname COLLATE "C")
                   FROM pg_attribute a WHERE a.attrelid = k.conrelid AND a.attnum = ANY (k.conkey)), CASE
               k.action WHEN 'c' THEN 'cascade' WHEN 'n' THEN 'set null' ELSE 'set default' END)) IS NOT TRUE
        ORDER BY 2;
    END LOOP;
END $function$;
