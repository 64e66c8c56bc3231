-- _instantiate creates the functions of an instance if they do not exist, or are those of an older
-- version of its policy. It returns false if there is nothing to do.
-- Raises PR004 if untrusted roles own the schema or its tables. Raises 55000 if the policy does not
-- cover the schema or shard, or if its name cannot be used in SQL.
-- A session that changes or drops the policy waits for this call, or this call waits for that
-- session.
CREATE OR REPLACE FUNCTION retention._instantiate(p_policy text) RETURNS boolean
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET quote_all_identifiers = off AS $function$
DECLARE
    v_each retention.each; v_place CONSTANT text := substr(p_policy, strpos(p_policy, '@') + 1); v_names jsonb;
    v_description text; v_script text; v_row text; v_policy jsonb; v_name jsonb; v_foreign text;
BEGIN
    SELECT * INTO v_each FROM retention.each e
    WHERE e.name = split_part(p_policy, '@', 1) AND NOT EXISTS (
        SELECT FROM retention.policy p WHERE p.name = p_policy AND p.hash = e.registers ->> 'hash'
          -- A re-created table lacks the privileges and columns that the instance needs.
          AND p.table_oid = ANY (retention._resolve_tables(ARRAY[p.table_name]))
          AND EXISTS (SELECT FROM pg_proc f WHERE f.proname = format('%s_rows', p.name))) FOR UPDATE;
    IF NOT FOUND THEN RETURN false; END IF;
    v_names := (SELECT p.names FROM retention._instances(v_each) p WHERE p.place = v_place);
    IF v_names IS NULL THEN
        RAISE object_not_in_prerequisite_state
            USING MESSAGE = format('schema "%s" is not one of policy "%s"', v_place, v_each.name),
                  HINT = format('The policy is for each schema like %s that has the table.', v_each.schemas);
    ELSIF NOT v_each.shards AND quote_ident(v_place) <> v_place OR octet_length(p_policy) > 54 THEN
        RAISE object_not_in_prerequisite_state
            USING MESSAGE = format('schema "%s" cannot be an instance of policy "%s"', v_place, v_each.name),
                  DETAIL = CASE WHEN octet_length(p_policy) > 54 THEN 'The two names together have more than 54 bytes.'
                           ELSE 'Its name needs quotes.' END,
                  HINT = 'Rename the schema, or let the pattern of the policy not match it.';
    END IF;
    v_description := v_each.description; v_script := v_each.script; v_row := v_each.registers::text;
    FOR v_name IN SELECT jsonb_array_elements(v_names) LOOP
        v_description := replace(v_description, v_name ->> 0, v_name ->> 1);
        v_script := replace(v_script, v_name ->> 0, v_name ->> 1);
        v_row := replace(v_row, v_name ->> 0, v_name ->> 1);
    END LOOP;
    v_policy := v_row;
    v_foreign := (SELECT f FROM retention._foreign_code(
        ARRAY[jsonb_populate_record(NULL::retention.policy, v_policy)]) f LIMIT 1);
    IF v_foreign IS NOT NULL THEN RAISE EXCEPTION USING ERRCODE = 'PR004', MESSAGE = v_foreign; END IF;
    PERFORM retention._begin_policy(p_policy, v_description);
    BEGIN
        EXECUTE format('SELECT retention.%I($1%s)', v_each.name || '_admit', CASE WHEN v_each.shards THEN ', true' END)
            USING v_place;
    EXCEPTION WHEN insufficient_privilege THEN
        RAISE object_not_in_prerequisite_state
            USING MESSAGE = format('the migrating role lacks a privilege: %s', SQLERRM),
            HINT = format('Let it own the tables of schema "%s", or make it a member of their owner.',
                CASE WHEN v_each.shards THEN v_each.schemas ELSE v_place END);
    END;
    PERFORM set_config('search_path', concat_ws(', ', 'pg_catalog', (SELECT string_agg(quote_ident(x), ', ')
        FROM string_to_table(i.search_path, ', ') x), 'pg_temp'), true) FROM retention.install i;
    EXECUTE v_script;
    PERFORM set_config('search_path', 'pg_catalog, pg_temp', true);
    PERFORM retention._put_policy(v_policy || jsonb_build_object('table_oid',
        retention._table(v_policy ->> 'table_name')));
    RETURN true;
END $function$;
