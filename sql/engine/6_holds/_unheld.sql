-- _unheld returns conditions on row t of a policy's table under which no hold keeps the row, each
-- with AND before it. The result is empty if no hold in force may concern the policy. It is NULL if
-- only _held can determine which rows are held: a hold is on another table that the policy reaches,
-- its values cannot be compared as text, or it cannot be applied.
-- The conditions have the form (EXISTS ...) IS FALSE. PostgreSQL evaluates this form again for a
-- row that was updated while the statement waited for it.
CREATE OR REPLACE FUNCTION retention._unheld(p_policy retention.policy, p_as_of timestamptz) RETURNS text
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $function$
DECLARE v_table oid; v_owners oid[]; v_others oid[]; v_unheld text;
BEGIN
    IF NOT retention._holds(p_policy.name, p_as_of) THEN RETURN ''; END IF;
    v_table := retention._table(p_policy.table_name);
    v_table := coalesce(pg_partition_root(v_table), v_table);
    v_owners := retention._hold_owners(ARRAY[v_table]);
    v_others := retention._hold_owners(ARRAY(SELECT coalesce(pg_partition_root(t), t)::oid
        FROM unnest(retention._resolve_tables(p_policy.related || p_policy.reach
            || array_remove(p_policy.changes, p_policy.table_name))) t));
    SELECT CASE WHEN bool_and(h.rel = ANY (v_owners) AND h.rel <> ALL (v_others) AND t.printed IS NOT NULL) THEN
        string_agg(DISTINCT format(' AND (EXISTS (SELECT FROM retention.hold h WHERE h.rel = %s'
            ' AND h.columns = %L::text[] AND h.released_at IS NULL AND (h.until IS NULL OR h.until > %L::timestamptz)'
            ' AND %s)) IS FALSE', h.rel, h.columns, retention._canonical(p_as_of), t.printed), '') END INTO v_unheld
    FROM retention._hold_kinds(p_as_of) h CROSS JOIN LATERAL retention._hold_terms(v_table, h.columns) t
    WHERE h.rel = ANY (v_owners || v_others) OR h.table_name IN (
        SELECT retention._table_name(o) FROM unnest(v_owners || v_others) o);
    RETURN v_unheld;
END $function$;
