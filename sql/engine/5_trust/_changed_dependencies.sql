-- _changed_dependencies returns how the catalog differs from the one for which policies were
-- generated, as a sentence for each difference. It reports:
-- - tables that a policy changes although they are protected. A table is also protected by another
--   table in the same partition or inheritance tree.
-- - relations, columns and keys (policy.dependencies) that are missing or different
-- - foreign keys that a delete or update would fire, but that the policy does not know
-- - foreign keys that the policy needs, but that do not exist
-- - foreign keys that are switched off
-- - tables that inherit from a table that the policy changes, and rules on such tables
-- - names in the policy's SQL that can mean another object
-- For the policy of one schema, the remedy for another type is to give the column the type that it
-- has in the other schemas.
-- - if p_code is true, foreign code, which _pin checks
-- It checks all policies in one query. Batches call it while they hold their locks.
-- It reads only the catalog, unless a name can mean another object. In that case it plans the
-- policy's query, to find out whether the server still accepts the query. Planning takes ACCESS
-- SHARE on the policy's tables, and waits at most 1 s for each lock.
CREATE OR REPLACE FUNCTION retention._changed_dependencies(p_policies retention.policy[], p_code boolean DEFAULT true)
RETURNS TABLE (policy text, why text)
LANGUAGE plpgsql STABLE ROWS 1 SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET quote_all_identifiers = off
SET plan_cache_mode = force_generic_plan SET enable_hashjoin = off SET enable_mergejoin = off SET jit = off
AS $function$
DECLARE
    c_again CONSTANT text := '; undo it, or correct the policy file, run "pgretain snapshot" and "pgretain generate", and '
        'migrate';
    v_protect CONSTANT text[] := (SELECT i.protect FROM retention.install i);
    v_names text[]; v_tables oid[];  -- pairs: a table that policies name, and a table of its tree
    v_rel record; v_keys jsonb; v_sets boolean;
BEGIN
    IF p_code AND EXISTS (SELECT FROM retention._foreign_code(p_policies)) THEN
        RETURN QUERY SELECT p.name, f FROM unnest(p_policies) p CROSS JOIN retention._foreign_code(ARRAY[p]) f;
    END IF;
    -- accept_names() can accept another meaning only if the server can read the expression.
    FOR v_rel IN
        SELECT c.policy AS name, ARRAY(SELECT jsonb_array_elements_text(k.candidates -> c.policy)) AS known, c.objects
        FROM (SELECT jsonb_object_agg(p.name, p.candidates) FROM unnest(p_policies) p) k (candidates)
        CROSS JOIN retention._candidates(p_policies) c
        WHERE to_jsonb(c.objects) <> k.candidates -> c.policy ORDER BY c.policy
    LOOP
        RETURN QUERY
        SELECT v_rel.name, CASE WHEN r.error IS NULL THEN format(x.what || ', and a name in the policy ' || x.may
            || ' mean it; write the '
                'schema of that name in the policy file and migrate, or look what it means now and '
                'SELECT retention.%s(%L, ''why'')', x.object, 'accept_names', v_rel.name)
            ELSE format(x.what || ', and the server refuses an expression of the policy: %s; ', x.object,
                        replace(r.error, '; ', ', ')) || x.mend || ', or change the expression, then run '
                '"pgretain snapshot" and "pgretain generate", and migrate' END
        FROM (SELECT retention._refused_expression(p) FROM unnest(p_policies) p WHERE p.name = v_rel.name OFFSET 0)
            r (error)
        CROSS JOIN LATERAL (
            SELECT '%s is new', 'can', 'drop it', o FROM unnest(v_rel.objects) o WHERE o <> ALL (v_rel.known)
            UNION ALL SELECT '%s is gone', 'could', 'bring it back', o
            FROM unnest(v_rel.known) o WHERE o <> ALL (v_rel.objects) AND o ~ '^(function|operator) ') x (what, may,
                mend, object)
        ORDER BY 2;
    END LOOP;
    SELECT array_agg(x.name), array_agg(t.oid), (SELECT bool_or(p.steps @? '$.set') FROM unnest(p_policies) p)
    INTO v_names, v_tables, v_sets
    FROM (SELECT unnest(p.changes || p.reach || p.deletes || p.statement_deletes
                 || ARRAY(SELECT substr(w, 8) FROM unnest(p.writes) w WHERE w LIKE 'INSERT %')
                 || ARRAY(SELECT e.key FROM jsonb_each(p.dependencies) e WHERE e.value ? 'cascades'))
          FROM unnest(p_policies) p GROUP BY 1) x (name)
    CROSS JOIN unnest(retention._partition_tree(ARRAY[x.name])) t (oid);
    IF cardinality(v_protect) > 0 THEN
        RETURN QUERY SELECT p.name, format('the policy changes rows of table "%s", which is protected (%s); take the '
                               'table out of the policy', x.name, array_to_string(v_protect, ', '))
        FROM (SELECT m.name FROM unnest(v_names, v_tables) m (name, oid) GROUP BY m.name
              HAVING retention._distributed_table(array_agg(m.oid)) && (SELECT retention._partition_tree(v_protect))) x
        JOIN unnest(p_policies) p ON x.name = ANY (p.changes || p.reach);
    END IF;
    -- Batches find rows again by ctid, so a table must be a heap table of this server that no
    -- subscription fills. This does not apply to policies on partitions.
    FOR v_rel IN
        SELECT m.names, c.oid, c.relkind, c.relpersistence, x.others, x.stored
        FROM (SELECT m.oid, array_agg(m.name) FROM unnest(v_names, v_tables) m (name, oid) GROUP BY 1) m (oid, names)
        JOIN pg_class c ON c.oid = m.oid
        LEFT JOIN pg_am a ON a.oid = c.relam LEFT JOIN pg_subscription_rel r ON r.srrelid = c.oid
        LEFT JOIN pg_subscription s ON s.oid = r.srsubid
        CROSS JOIN LATERAL (SELECT CASE
            WHEN s.oid IS NOT NULL THEN format('filled by subscription "%s"', s.subname)
            WHEN to_regclass('pg_catalog.pg_dist_partition') IS NOT NULL AND c.oid IN (
                SELECT retention._distributed()) THEN 'distributed by Citus' END, CASE
            WHEN c.relkind = 'f' THEN 'a foreign one'
            WHEN c.relkind <> 'p' AND a.amname <> 'heap' THEN format('stored by access method "%s"', a.amname)
            END) x (others, stored)
        WHERE c.relpersistence = 'u' OR coalesce(x.others, x.stored) IS NOT NULL ORDER BY c.oid
    LOOP
        RETURN QUERY
        SELECT p.name, format('table %s is %s, and rows of such a table cannot be taken; take the policy out, or run '
                              'it where the rows are', v_rel.oid::regclass,
                              coalesce(v_rel.others, v_rel.stored))
        FROM unnest(p_policies) p
        WHERE v_rel.names && (p.changes || p.reach) AND (v_rel.others IS NOT NULL OR v_rel.stored IS NOT NULL
            AND NOT (p.partitions AND EXISTS (
                SELECT FROM unnest(retention._resolve_tables(ARRAY[p.table_name])) t (root)
                WHERE pg_partition_root(v_rel.oid) = t.root AND (v_rel.relkind <> 'f' OR EXISTS (
                    SELECT FROM pg_inherits i WHERE i.inhrelid = v_rel.oid AND i.inhparent = t.root)))))
        UNION ALL
        SELECT p.name, format('table %s is unlogged, and a crash empties it of what was moved there; '
                              'ALTER TABLE %1$s SET LOGGED', v_rel.oid::regclass)
        FROM unnest(p_policies) p
        WHERE v_rel.relpersistence = 'u' AND cardinality(p.deletes) > 0 AND EXISTS (
            SELECT FROM unnest(v_rel.names) n WHERE 'INSERT ' || n = ANY (p.writes));
    END LOOP;
    FOR v_rel IN
        SELECT p.name AS policy, e.key AS name, e.value AS want, c.oid, c.relhasrules, c.relhassubclass, k.kind,
               p.related, CASE WHEN p.table_name = ANY (p.changes) THEN p.table_name END AS own, p.reach, p.writes,
               k.fits AND (e.value ? 'key' OR c.relhasrules OR c.relhassubclass) AS more, ARRAY(
                   SELECT format('column "%s" of "%s" is %s', w.key, e.key,
                                 coalesce('of type ' || t.type || ', not ' || w.value, 'not there'))
                          || CASE WHEN t.type IS NULL OR strpos(p.name, '@') = 0 THEN '' ELSE '; ' || (
                              SELECT format(CASE WHEN y.present = y.wanted THEN 'ALTER TABLE %s ALTER COLUMN %I SET NOT NULL'
                                     WHEN y.present LIKE 'timestamp%' AND y.wanted LIKE 'timestamp%'
                                     THEN 'ALTER TABLE %s ALTER COLUMN %I TYPE %s USING %2$I AT TIME ZONE %4$L'
                                     ELSE 'ALTER TABLE %s ALTER COLUMN %I TYPE %s' END, c.oid::regclass, w.key,
                                     y.wanted, (SELECT i.time_zone FROM retention.install i))
                              FROM (SELECT regexp_replace(t.type, ' NOT NULL$', ''),
                                           regexp_replace(w.value, ' NOT NULL$', '')) y (present, wanted)) END
                   FROM jsonb_each_text(e.value -> 'columns') w
                   LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = w.key::name AND NOT a.attisdropped
                   CROSS JOIN LATERAL (
                       SELECT format_type(a.atttypid, a.atttypmod)
                                  || CASE WHEN a.attcollation IN (0, 'pg_catalog.default'::regcollation) THEN ''
                                     ELSE ' COLLATE ' || a.attcollation::regcollation END
                                  || CASE WHEN w.value LIKE '% NOT NULL' AND a.attnotnull AND NOT EXISTS (
                                         SELECT FROM pg_constraint n WHERE n.conrelid = a.attrelid AND n.contype = 'n'
                                         AND NOT n.convalidated AND n.conkey = ARRAY[a.attnum])
                                     THEN ' NOT NULL' ELSE '' END AS type) t
                   WHERE k.fits AND t.type IS DISTINCT FROM w.value ORDER BY w.key) || ARRAY(
                   SELECT format('table "%s" has a column that its archive step does not know: %s', e.key, a.attname)
                   FROM pg_attribute a WHERE k.fits AND e.value ? 'whole' AND a.attrelid = c.oid AND a.attnum > 0
                     AND NOT a.attisdropped AND NOT e.value -> 'columns' ? a.attname)
               || CASE WHEN NOT k.fits THEN ARRAY[format('%s "%s" is %s', regexp_replace(
                   coalesce(e.value ->> 'kind', 'table'), '^(partitioned|foreign)$', '\1 table'), e.key, coalesce('a '
                   || regexp_replace(k.kind, '^(partitioned|foreign)$', '\1 table') || ' now',
                       'not there'))] END AS faults
        FROM unnest(p_policies) p CROSS JOIN jsonb_each(p.dependencies) e
        LEFT JOIN pg_class c ON c.oid = ANY (retention._resolve_tables(ARRAY[e.key])) CROSS JOIN LATERAL (
            SELECT x.kind, x.kind IS NOT DISTINCT FROM coalesce(e.value ->> 'kind', 'table') AS fits
            FROM (SELECT CASE c.relkind WHEN 'r' THEN 'table' WHEN 'p' THEN 'partitioned' WHEN 'v' THEN 'view'
                      WHEN 'f' THEN 'foreign' WHEN 'm' THEN 'materialized view' ELSE c.relkind::text END) x (kind)) k
        ORDER BY p.name, e.key
    LOOP
        -- Statements that need not run are not planned, which saves time.
        IF v_rel.faults <> '{}' THEN
            RETURN QUERY SELECT v_rel.policy, f || CASE WHEN f LIKE '%; ALTER TABLE %' THEN '' ELSE c_again END
            FROM unnest(v_rel.faults) f;
        END IF;
        CONTINUE WHEN NOT v_rel.more;
        IF v_rel.want ? 'key' AND NOT EXISTS (
            SELECT FROM pg_index i
            WHERE i.indrelid = v_rel.oid AND i.indisunique AND i.indisvalid AND i.indpred IS NULL
              AND i.indexprs IS NULL AND v_rel.want -> 'key' @> (
                  SELECT jsonb_agg(a.attname) FROM unnest(i.indkey::int2[]) WITH ORDINALITY k (attnum, n)
                  JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.attnum
                  WHERE k.n <= i.indnkeyatts AND a.attnotnull HAVING count(*) = i.indnkeyatts)) THEN
            RETURN QUERY SELECT v_rel.policy, format('the rows of table "%s" are found by (%s), which is not unique '
                          'any more', v_rel.name, btrim(v_rel.want ->> 'key', '[]')) || c_again;
        END IF;
        -- A statement also changes child tables. Their rows are not the policy's, and a key of the
        -- parent is not unique in them.
        IF v_rel.relhassubclass AND v_rel.kind = 'table' AND v_rel.name = ANY (v_rel.related || v_rel.own) THEN
            RETURN QUERY SELECT v_rel.policy,
                   format('table "%s" inherits from "%s", so steps would change its rows, too; '
                          'ALTER TABLE %s NO INHERIT %s', retention._table_name(i.inhrelid), v_rel.name,
                          i.inhrelid::regclass, v_rel.oid::regclass)
            FROM pg_inherits i WHERE i.inhparent = v_rel.oid;
        END IF;
        IF v_rel.relhasrules AND v_rel.kind NOT LIKE '%view' THEN
            RETURN QUERY SELECT v_rel.policy, format('rule "%s" on table "%s" changes what the policy does; '
                          'DROP RULE %1$I ON %3$s', r.rulename, v_rel.name, v_rel.oid::regclass)
            FROM pg_rewrite r
            WHERE r.ev_class = v_rel.oid AND r.ev_enabled IN ('O', 'A')
              AND (r.is_instead OR pg_get_ruledef(r.oid) !~ '\mDO\s+NOTHING;$')
              AND (v_rel.name = ANY (v_rel.reach) AND r.ev_type IN ('2', '4') OR CASE r.ev_type
                   WHEN '2' THEN 'UPDATE ' WHEN '3' THEN 'INSERT ' WHEN '4' THEN 'DELETE ' END || v_rel.name
                   = ANY (v_rel.writes));
        END IF;
    END LOOP;
    IF v_sets THEN
        RETURN QUERY
        SELECT p.name, format('foreign key %s -> %s (%s) propagates what a step sets', retention._table_name(
                              k.confrelid), retention._table_name(k.conrelid), k.conname) || c_again
        FROM unnest(p_policies) p CROSS JOIN jsonb_path_query(p.steps, '$[*] ? (exists (@.set))') s
        JOIN retention._keys_to(retention._partition_tree(ARRAY[s ->> 'table'])) k ON k.confupdtype IN ('c', 'n', 'd')
        WHERE EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = k.confrelid AND a.attnum = ANY (k.confkey)
                      AND s -> 'set' ? a.attname);
    END IF;
    IF NOT EXISTS (SELECT FROM retention._keys_to(v_tables))
        AND NOT EXISTS (SELECT FROM unnest(p_policies) p WHERE p.dependencies @? '$.*.cascades') THEN
        RETURN;
    END IF;
    SELECT jsonb_object_agg(x.name, x.keys) INTO v_keys
    FROM (SELECT m.name, jsonb_agg(jsonb_build_object('name', k.conname, 'from', f.name, 'to',
                     retention._table_name(k.confrelid), 'does', format('%s (%s) %s', f.name, (
                         SELECT string_agg(a.attname, ', ' ORDER BY a.attname COLLATE "C")
                         FROM pg_attribute a WHERE a.attrelid = k.conrelid AND a.attnum = ANY (k.conkey)), CASE
                         k.confdeltype WHEN 'c' THEN 'cascade' WHEN 'n' THEN 'set null' ELSE 'set default' END),
                     'changes', k.action <> 'r'))
          FROM retention._keys_to(v_tables) k CROSS JOIN retention._table_name(k.conrelid) f (name)
          JOIN unnest(v_names, v_tables) m (name, oid) ON m.oid = k.confrelid
          WHERE k.confdeltype IN ('c', 'n', 'd') AND k.conparentid = '0' GROUP BY m.name) x (name, keys);
    -- The policy depends on these ON DELETE actions. If one is missing, rows that the policy copied
    -- would stay and refer to no row. If the action fails because a column is NOT NULL, the run
    -- refuses the row.
    RETURN QUERY
    SELECT p.name, format('the policy depends on a foreign key %s -> %s, which is not there', e.key, w.does) || c_again
    FROM unnest(p_policies) p CROSS JOIN jsonb_each(p.dependencies) e
    CROSS JOIN jsonb_array_elements_text(e.value -> 'cascades') w (does)
    WHERE retention._resolve_tables(ARRAY[e.key]) <> '{}' AND NOT EXISTS (
        SELECT FROM jsonb_each(v_keys) x CROSS JOIN jsonb_to_recordset(x.value) k ("to" text, does text)
        WHERE k."to" = e.key AND k.does = w.does) ORDER BY 2;
    -- A key whose triggers are disabled does not delete referring rows, and does not refuse the
    -- delete. Each partition has its own triggers.
    RETURN QUERY
    SELECT p.name, format('foreign key %s -> %s (%s) is switched off; %s', k."to", k."from", k.conname, k.mend)
    FROM (SELECT o.conname, retention._table_name(o.confrelid) AS "to", retention._table_name(o.conrelid) AS "from",
                 array_agg(DISTINCT m.name) AS names, string_agg(DISTINCT format('ALTER TABLE %s ENABLE TRIGGER %I',
                     t.tgrelid::regclass, t.tgname), '; ') AS mend
          FROM retention._keys_to(v_tables) o JOIN unnest(v_names, v_tables) m (name, oid) ON m.oid = o.confrelid
          JOIN pg_trigger t ON t.tgconstraint = o.oid AND t.tgenabled NOT IN ('O', 'A')
          GROUP BY o.oid, o.conname, o.confrelid, o.conrelid) k
    JOIN unnest(p_policies) p ON k.names && (p.deletes || p.statement_deletes || ARRAY(
        SELECT e.key FROM jsonb_each(p.dependencies) e WHERE e.value ? 'cascades')) ORDER BY 2;
    RETURN QUERY
    SELECT DISTINCT p.name,
           format('foreign key %s -> %s (%s) would change rows, and the policy was generated without it',
                                   k."to", k."from", k.name) || c_again
    FROM unnest(p_policies) p CROSS JOIN unnest(p.deletes || p.statement_deletes || ARRAY(
        SELECT e.key FROM jsonb_each(p.dependencies) e WHERE e.value ? 'cascades')) d (name)
    CROSS JOIN jsonb_to_recordset(v_keys -> d.name) k (name text, "from" text, "to" text, does text, changes boolean)
    WHERE k.changes AND (p.dependencies -> k."to" -> 'cascades' ? k.does) IS NOT TRUE ORDER BY 2;
END $function$;
