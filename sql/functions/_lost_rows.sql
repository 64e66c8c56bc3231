-- Holds in force whose row is not there: of the p_limit newest ones by key, since those by a column hold
-- whatever comes. fault is "gone"; "key" where the hold does not fit the table's primary key any more, or spells it otherwise;
-- "denied" where the owner may not read the table, or must not (_trusted_owner). Tables that are not there
-- are left out. Locks nothing.
CREATE OR REPLACE FUNCTION retention._lost_rows(p_limit bigint)
RETURNS TABLE (hold_id bigint, fault text)
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET timezone = 'UTC'
SET datestyle = 'ISO, YMD'
SET intervalstyle = 'postgres'
SET bytea_output = 'hex'
SET extra_float_digits = 1
SET row_security = off
SET jit = off
AS $function$
DECLARE
    v_held record;
    v_key record;
    v_gone CONSTANT text :=
        'SELECT h.id, CASE WHEN EXISTS (SELECT FROM %1$s t WHERE %2$s) THEN ''key'' ELSE ''gone'' END FROM retention.hold h
         WHERE h.id = ANY ($1) AND cardinality(h.key) = $2 AND NOT EXISTS (SELECT FROM %1$s t WHERE %2$s AND %3$s)';
BEGIN
    PERFORM set_config('timezone', i.time_zone, true) FROM retention.install i;  -- as batches spell keys
    FOR v_held IN
        SELECT c.oid AS rel, array_agg(n.id) AS holds,
               has_table_privilege(c.oid, 'SELECT') AND has_schema_privilege(c.relnamespace, 'USAGE')
               AND retention._trusted_owner(c.relowner) AS readable
        FROM (SELECT h.id, h.table_name FROM retention.hold h
              WHERE h.by_column IS NULL AND h.released_at IS NULL
                AND (h.until IS NULL OR h.until > clock_timestamp())
              ORDER BY h.id DESC LIMIT p_limit) n
        JOIN (pg_class c JOIN pg_namespace m ON m.oid = c.relnamespace)
          ON m.nspname || '.' || c.relname = n.table_name AND c.relkind IN ('r', 'p')
        GROUP BY c.oid, c.relnamespace, c.relowner
    LOOP
        IF NOT v_held.readable THEN
            RETURN QUERY SELECT x.id, 'denied' FROM unnest(v_held.holds) x (id);
            CONTINUE;
        END IF;
        SELECT count(*)::integer AS width,
               string_agg(format(CASE WHEN y.typnamespace = 'pg_catalog'::regnamespace
                                      THEN 't.%1$I = (h.key[%2$s])::%3$s' ELSE 't.%1$I::text = h.key[%2$s]' END,
                                 a.attname, u.n, format_type(a.atttypid, -1)), ' AND ') AS typed,
               string_agg(format('t.%1$I::text = h.key[%2$s]', a.attname, u.n), ' AND ') AS spelled
        INTO v_key
        FROM retention._key_columns(v_held.rel) u
        JOIN pg_attribute a ON a.attrelid = v_held.rel AND a.attnum = u.attnum
        JOIN pg_type y ON y.oid = a.atttypid;
        RETURN QUERY SELECT h.id, 'key' FROM retention.hold h
                     WHERE h.id = ANY (v_held.holds) AND cardinality(h.key) <> v_key.width;
        CONTINUE WHEN v_key.width = 0;
        BEGIN
            RETURN QUERY EXECUTE format(v_gone, v_held.rel::regclass, v_key.typed, v_key.spelled)
            USING v_held.holds, v_key.width;
        EXCEPTION WHEN data_exception THEN  -- the key is of another type now: slowly, by its spelling
            RETURN QUERY EXECUTE format(v_gone, v_held.rel::regclass, v_key.spelled, v_key.spelled)
            USING v_held.holds, v_key.width;
        END;
    END LOOP;
END
$function$;
REVOKE ALL ON FUNCTION retention._lost_rows(bigint) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION retention._lost_rows(bigint) TO retention_runner, retention_operator, retention_viewer;
