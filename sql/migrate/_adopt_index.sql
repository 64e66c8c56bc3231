-- _adopt_index prepares the build of an index whose table was renamed, moved or swapped. The index
-- p_found of the table gets the name of the index, so that the build finds it. If another table has
-- an index of this name, that index is set aside, and the next statements drop it. Only indexes of
-- pgretain are renamed. It runs with the privileges of its caller, who owns the table.
CREATE OR REPLACE FUNCTION retention._adopt_index(p_schema text, p_index text, p_table text, p_found text) RETURNS void
LANGUAGE plpgsql SECURITY INVOKER SET search_path = pg_catalog, pg_temp SET lock_timeout = '10s' AS $function$
DECLARE
    v_table CONSTANT oid := to_regclass(format('%I.%I', p_schema, p_table));
    v_name CONSTANT text := format('%I.%I', p_schema, p_index);
    v_aside CONSTANT text := p_index || '_invalid'; v_index record;
BEGIN
    SELECT i.indrelid, c.relkind, obj_description(c.oid, 'pg_class') LIKE 'pgretain: index %' AS ours INTO v_index
    FROM pg_class c JOIN pg_index i ON i.indexrelid = c.oid WHERE c.oid = to_regclass(v_name);
    IF v_index.indrelid = v_table THEN RETURN; END IF;
    IF v_index.indrelid IS NOT NULL AND v_index.ours IS NOT TRUE THEN
        RAISE duplicate_table USING MESSAGE = format('index "%s" is on table %s', p_index, v_index.indrelid::regclass),
                  HINT = format('Rename it, for example ALTER INDEX %s RENAME TO %I; then migrate again.', v_name,
                                'old_' || p_index);
    END IF;
    IF v_index.indrelid IS NOT NULL AND v_index.relkind = 'I' THEN
        EXECUTE format('DROP INDEX %s', v_name);
    ELSIF v_index.indrelid IS NOT NULL THEN
        EXECUTE format('DROP INDEX IF EXISTS %I.%I', p_schema, v_aside);
        EXECUTE format('ALTER INDEX %s RENAME TO %I', v_name, v_aside);
    END IF;
    IF p_found = '' THEN RETURN; END IF;
    IF EXISTS (SELECT FROM pg_index i WHERE i.indexrelid = to_regclass(format('%I.%I', p_schema, p_found))
                 AND i.indrelid = v_table AND i.indisvalid
                 AND obj_description(i.indexrelid, 'pg_class') LIKE 'pgretain: index %') THEN
        EXECUTE format('ALTER INDEX %I.%I RENAME TO %I', p_schema, p_found, p_index);
    END IF;
END $function$;
