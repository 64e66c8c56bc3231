-- _drop_refusal returns whether a run refuses to drop a table that a row of a policy names.
-- rel: the table, NULL if it does not exist
-- reason: why the run refuses, NULL if it does not refuse
-- code: PR002 if a row of the table is held at p_as_of, or was held while the table was a
--   partition. Otherwise P0001.
-- If reason is NULL, DROP TABLE can only fail because a privilege is missing. The function locks
-- nothing.
CREATE OR REPLACE FUNCTION retention._drop_refusal(
    p_name text, p_policy text, p_as_of timestamptz, OUT rel oid, OUT reason text, OUT code text)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $function$
DECLARE v_parts text[]; v_table record; v_kin oid[];
BEGIN
    code := 'P0001';
    BEGIN
        v_parts := parse_ident(p_name);
    EXCEPTION WHEN invalid_parameter_value THEN v_parts := NULL;
    END;
    IF cardinality(v_parts) IS DISTINCT FROM 2 OR regexp_replace(p_name, '"[^"]*"', '', 'g') ~ '[[:upper:]]' THEN
        reason := format('%s is not the name of a table with its schema', coalesce(quote_literal(p_name), 'NULL'));
        RETURN;
    END IF;
    SELECT c.oid, c.relkind, c.relispartition, c.relowner, c.relnamespace, n.nspname,
           format('%I.%I', n.nspname, c.relname) AS name
    INTO v_table FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname = v_parts[1]::name AND c.relname = v_parts[2]::name;
    IF NOT FOUND THEN RETURN; END IF;
    rel := v_table.oid;
    -- A row of a child table is also a row of its parents.
    WITH RECURSIVE kin AS (
        SELECT v_table.oid AS oid
        UNION SELECT i.inhparent FROM kin k JOIN pg_inherits i ON i.inhrelid = k.oid)
    SELECT array_agg(k.oid ORDER BY k.oid) INTO v_kin FROM kin k;
    SELECT CASE
        WHEN v_table.relkind NOT IN ('r', 'p') THEN 'is no table'
        WHEN v_table.relispartition THEN 'is a partition'
        WHEN v_table.nspname LIKE 'pg\_%' OR v_table.nspname = 'information_schema' THEN 'is the system''s'
        WHEN v_table.relnamespace = (SELECT x.relnamespace FROM pg_class x WHERE x.oid = 'retention.policy'::regclass)
            THEN 'is the runtime''s'
        WHEN EXISTS (SELECT FROM retention.install i WHERE i.protect && m.names) THEN 'is protected'
        WHEN EXISTS (SELECT FROM retention.policy p WHERE p.table_name = ANY (m.names)) THEN 'is the table of a policy'
        WHEN v_table.relowner <> o.relowner
            THEN format('belongs to role "%s", not to "%s" as the table of the policy',
                pg_get_userbyid(v_table.relowner), pg_get_userbyid(o.relowner))
        ELSE (SELECT format('is used by %s', d.dependent) FROM retention._drop_dependents(v_table.oid) d LIMIT 1)
    END INTO reason
    FROM retention.policy p JOIN pg_class o ON o.oid = retention._table(p.table_name)
    CROSS JOIN LATERAL (  -- the table, its parents, and its descendants
        SELECT array_agg(n.nspname || '.' || c.relname) AS names
        FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE c.oid = ANY (v_kin) OR c.oid IN (SELECT t.relid FROM pg_partition_tree(v_table.oid) t)) m
    WHERE p.name = p_policy;
    IF reason IS NOT NULL THEN
        reason := format('%s %s', v_table.name, reason);
    ELSIF retention._is_any_held(v_table.name, v_table.oid, v_kin, p_as_of, true) THEN
        reason := format('a row of %s is held', v_table.name); code := 'PR002';
    END IF;
END $function$;
