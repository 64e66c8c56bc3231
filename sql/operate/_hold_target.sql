-- _hold_target returns the table on which a hold is placed. For a partition it returns the root,
-- and for a shard the distributed table. The caller needs no privilege on the table's schema.
-- A name without a schema means schema public. If a policy's table in another schema has that name,
-- the function raises 22023, because a hold on the wrong table would keep nothing.
-- Raises 42P01 for an unknown table, 42809 for another kind of relation, and 42501 if untrusted
-- roles own code of the table.
CREATE OR REPLACE FUNCTION retention._hold_target(p_name text) RETURNS oid
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $function$
DECLARE
    v_parts text[] := parse_ident(p_name); v_elsewhere text; v_table record; v_foreign text; v_logical oid[];
BEGIN
    IF cardinality(v_parts) = 1 THEN
        SELECT min(x.name) INTO v_elsewhere FROM retention.policy p
        CROSS JOIN LATERAL unnest(p.table_name || p.related || p.changes || p.reach) x (name)
        JOIN pg_namespace n ON x.name = n.nspname || '.' || v_parts[1] AND n.nspname <> 'public';
        IF v_elsewhere IS NOT NULL THEN
            RAISE invalid_parameter_value
                USING MESSAGE = format('table %s could be "%s", which belongs to a policy', p_name, v_elsewhere),
                      HINT = 'Write its name with the schema, as in SQL: app.message.';
        END IF;
        v_parts := ARRAY['public'] || v_parts;
    END IF;
    SELECT coalesce(pg_partition_root(c.oid), c.oid) AS oid, c.relkind INTO v_table
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE cardinality(v_parts) = 2 AND n.nspname = v_parts[1]::name AND c.relname = v_parts[2]::name;
    IF NOT FOUND THEN
        RAISE undefined_table USING MESSAGE = format('there is no table %s', coalesce(p_name, 'NULL')),
            HINT = 'Write its name with the schema, as in SQL: app.message.';
    ELSIF v_table.relkind NOT IN ('r', 'p') THEN
        RAISE wrong_object_type USING MESSAGE = format('%s is not a table', p_name);
    END IF;
    v_foreign := (SELECT u FROM retention._untrusted(ARRAY[v_table.oid], '{}') u LIMIT 1);
    IF v_foreign IS NOT NULL THEN RAISE insufficient_privilege USING MESSAGE = v_foreign; END IF;
    v_logical := retention._distributed_table(ARRAY[v_table.oid]);
    RETURN v_logical[cardinality(v_logical)];
END $function$;
