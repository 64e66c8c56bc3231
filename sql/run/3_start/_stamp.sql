-- Makes the page of a member that has none, or that of an earlier version of its policy; false: it has one. Nothing in
-- the schema is looked at, besides names, unless trusted roles own it (PR004). Raises what the page's statements raise,
-- and 55000 for a schema that the policy is not for, or whose name cannot stand in a page. A migration that changes or
-- drops the policy waits for this, or this for it.
CREATE OR REPLACE FUNCTION retention._stamp(p_policy text) RETURNS boolean
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $function$
DECLARE v_each retention.each; v_schema CONSTANT text := split_part(p_policy, '@', 2); v_row jsonb; v_foreign text;
BEGIN
    SELECT * INTO v_each FROM retention.each e
    WHERE e.name = split_part(p_policy, '@', 1) AND v_schema <> '' AND NOT EXISTS (
        SELECT FROM retention.policy p WHERE p.name = p_policy AND p.hash = e.registers ->> 'hash'
          -- It goes with the table, which may have come again.
          AND EXISTS (SELECT FROM pg_proc f WHERE f.proname = format('%s_rows', p.name))) FOR UPDATE;
    IF NOT FOUND THEN
        RETURN false;
    ELSIF p_policy <> ALL (retention._members(v_each.name)) THEN
        RAISE object_not_in_prerequisite_state
            USING MESSAGE = format('schema "%s" is none that policy "%s" is for', v_schema, v_each.name),
                  HINT = format('It is for each schema like %s that has the table.', v_each.schemas);
    ELSIF quote_ident(v_schema) <> v_schema OR octet_length(p_policy) > 54 THEN
        RAISE object_not_in_prerequisite_state
            USING MESSAGE = format('schema "%s" can be no member of policy "%s"', v_schema, v_each.name),
                  DETAIL = CASE WHEN octet_length(p_policy) > 54 THEN 'The two names together have more than 54 bytes.'
                           ELSE 'Its name needs quotes.' END,
                  HINT = 'Rename the schema, or let the pattern of the policy not match it.';
    END IF;
    v_row := replace(v_each.registers::text, v_each.word, v_schema);
    v_foreign := (SELECT f FROM retention._foreign_code(ARRAY[jsonb_populate_record(NULL::retention.policy, v_row)]) f
                  LIMIT 1);
    IF v_foreign IS NOT NULL THEN RAISE EXCEPTION USING ERRCODE = 'PR004', MESSAGE = v_foreign; END IF;
    PERFORM retention._begin_page(p_policy, replace(v_each.words, v_each.word, v_schema));
    BEGIN
        EXECUTE format('SELECT retention.%I($1)', v_each.name || '_admit') USING v_schema;
    EXCEPTION WHEN insufficient_privilege THEN
        RAISE object_not_in_prerequisite_state USING MESSAGE = format('the role that migrates: %s', SQLERRM),
            HINT = format('Let it own the tables of schema "%s", or be a member of who does.', v_schema);
    END;
    PERFORM set_config('search_path', concat_ws(', ', 'pg_catalog', (SELECT string_agg(quote_ident(x), ', ')
        FROM string_to_table(i.search_path, ', ') x), 'pg_temp'), true) FROM retention.install i;
    EXECUTE replace(v_each.page, v_each.word, v_schema);
    PERFORM set_config('search_path', 'pg_catalog, pg_temp', true);
    PERFORM retention._put_policy(v_row);
    RETURN true;
END $function$;
