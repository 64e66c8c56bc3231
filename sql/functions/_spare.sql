-- Raises PR002 where one of the rows of another table that a step is to act on is held, or leads to a held one: asked
-- of what the step has locked, since such a row may have come after the batch was judged.
CREATE OR REPLACE FUNCTION retention._spare(p_rels oid[], p_tids tid[], p_deletes boolean, p_as_of timestamptz)
RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $function$
DECLARE v_root oid;
BEGIN
    IF cardinality(p_rels) > 0 AND EXISTS (SELECT FROM retention.hold h WHERE h.released_at IS NULL) THEN
        v_root := coalesce(pg_partition_root(p_rels[1]), p_rels[1]);
        IF retention._held_below(v_root, ARRAY(SELECT generate_series(1, cardinality(p_rels))), p_rels, p_tids,
                                 p_deletes, p_as_of, true) <> '{}' THEN
            RAISE EXCEPTION USING ERRCODE = 'PR002',
                MESSAGE = format('a held row of "%s", or one that it leads to, would be %s',
                    retention._table_name(v_root), CASE WHEN p_deletes THEN 'deleted' ELSE 'changed' END);
        END IF;
    END IF;
END $function$;
