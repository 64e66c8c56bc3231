-- _lost_rows returns holds on single rows whose row no longer exists, although it existed when the
-- hold was placed. It checks the p_limit newest holds in force, if they contain the table's key. It
-- leaves out holds that _invalid_hold reports. It locks nothing.
-- fault: "gone" if the row no longer exists. "denied" if the worker lacks SELECT on the table or
--   must not read it (_untrusted).
CREATE OR REPLACE FUNCTION retention._lost_rows(p_limit bigint) RETURNS TABLE (hold_id bigint, fault text)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET jit = off AS $function$
DECLARE
    -- The name is '' if one role has all tasks.
    v_worker CONSTANT name := coalesce(nullif('retention_worker', ''), current_user);
    v_held record; v_terms record;
BEGIN
    FOR v_held IN
        SELECT n.rel, n.columns, array_agg(n.id) AS holds,
               has_table_privilege(v_worker, n.rel, 'SELECT')
               AND has_schema_privilege(v_worker, c.relnamespace, 'USAGE')
               AND NOT EXISTS (SELECT FROM retention._untrusted(ARRAY[n.rel], '{}')) AS readable
        FROM (SELECT h.* FROM retention.hold h
              WHERE h.released_at IS NULL AND (h.until IS NULL OR h.until > clock_timestamp())
              ORDER BY h.id DESC LIMIT p_limit) n
        JOIN pg_class c ON c.oid = n.rel WHERE n.row_seen AND n.columns @> nullif(retention._key_columns(n.rel), '{}')
        GROUP BY n.rel, n.columns, c.relnamespace, c.relowner
    LOOP
        IF NOT v_held.readable THEN
            RETURN QUERY SELECT x.id, 'denied' FROM unnest(v_held.holds) x (id);
        ELSIF retention._invalid_hold(ARRAY[v_held.rel], clock_timestamp()) IS NULL THEN
            v_terms := retention._hold_terms(v_held.rel, v_held.columns);
            RETURN QUERY SELECT g.id::bigint, 'gone' FROM retention._query_as_worker(format(
                'SELECT to_jsonb(h.id) FROM (SELECT h.id, %s FROM retention.hold h WHERE h.id = ANY (%L::bigint[])) h
                 WHERE NOT EXISTS (SELECT FROM %s t WHERE %s)', v_terms."values", v_held.holds, v_held.rel::regclass,
                v_terms.equal)) g (id);
        END IF;
    END LOOP;
END $function$;
