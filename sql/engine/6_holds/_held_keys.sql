-- _held_keys returns the foreign keys that lead from deletes in a table to a table with a hold in
-- force. It also returns those that lead to a table whose rows a step copies. The result is an
-- array of rows of _keys_reached. Raises 55000 if rows cannot be followed along one of these keys.
CREATE OR REPLACE FUNCTION retention._held_keys(p_table oid, p_as_of timestamptz, p_policy text) RETURNS jsonb
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $function$
DECLARE v_keys jsonb; v_missing text;
BEGIN
    WITH RECURSIVE k AS MATERIALIZED (
        SELECT x.* FROM retention._keys_reached(ARRAY[p_table]) x WHERE x.action IN ('c', 'n', 'd')
    ), needed AS (
        SELECT k.n, k.parent_root FROM k
        WHERE retention._hold_owners(ARRAY[k.child_root]) && ARRAY(
            SELECT h.rel FROM retention._hold_kinds(p_as_of) h)
            OR k.child_root IN (SELECT coalesce(pg_partition_root(t), t) FROM retention.policy p
                CROSS JOIN jsonb_to_recordset(p.steps) s (verb text, related text)
                CROSS JOIN unnest(retention._resolve_tables(ARRAY[s.related])) t
                WHERE p.name = p_policy AND p.passes @? '$[*].below' AND s.verb IN ('archive', 'insert'))
        UNION SELECT k.n, k.parent_root FROM needed d JOIN k ON k.child_root = d.parent_root AND k.action = 'c'
    )
    SELECT coalesce(jsonb_agg(to_jsonb(k)), '[]'), min(k.path || ': ' || k.missing) INTO v_keys, v_missing
    FROM k WHERE k.n IN (SELECT d.n FROM needed d);
    IF v_missing IS NOT NULL THEN
        RAISE object_not_in_prerequisite_state USING
            MESSAGE = format('could not determine whether a delete reaches a held row or a row to copy: %s', v_missing);
    END IF;
    RETURN v_keys;
END $function$;
