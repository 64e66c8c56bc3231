-- _refuse_held_rows raises PR002 if a row of another table that a step has locked is held, or leads
-- to a held row. Such a row may have been inserted after the batch rechecked its rows. If p_rels is
-- NULL, all rows are in p_table itself.
CREATE OR REPLACE FUNCTION retention._refuse_held_rows(
    p_policy text, p_table oid, p_rels oid[], p_tids tid[], p_deletes boolean, p_as_of timestamptz) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $function$
DECLARE v_root CONSTANT oid := coalesce(pg_partition_root(p_table), p_table);
BEGIN
    IF cardinality(p_tids) > 0 AND retention._holds(p_policy, p_as_of) AND retention._held_below(
        v_root, ARRAY(SELECT generate_series(1, cardinality(p_tids))),
        coalesce(p_rels, array_fill(p_table, ARRAY[cardinality(p_tids)])), p_tids, p_deletes, p_as_of, true, p_policy)
        <> '{}' THEN
        RAISE EXCEPTION USING ERRCODE = 'PR002',
            MESSAGE = format('a row of "%s" that is held, or that leads to a held row, would be %s',
                retention._table_name(v_root), CASE WHEN p_deletes THEN 'deleted' ELSE 'changed' END);
    END IF;
END $function$;
