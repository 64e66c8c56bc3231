-- The position after the rows of a batch by rank: the last group, and how many of its rows are still there.
CREATE OR REPLACE FUNCTION retention._group_position(
    p_lo jsonb, p_table regclass, p_groups bigint[], p_rels oid[], p_tids tid[]) RETURNS jsonb
LANGUAGE plpgsql AS $function$
DECLARE v_group CONSTANT bigint := p_groups[cardinality(p_groups)]; v_left bigint;
BEGIN
    EXECUTE format('SELECT count(*) FROM unnest($1, $2, $3) x ("group", rel, tid)
                    JOIN %s t ON t.ctid = x.tid AND t.tableoid = x.rel WHERE x."group" = $4', p_table)
    INTO v_left USING p_groups, p_rels, p_tids, v_group;
    RETURN jsonb_build_array(v_group,
        v_left + CASE WHEN v_group = coalesce((p_lo ->> 0)::bigint, 1) THEN coalesce((p_lo ->> 1)::bigint, 0)
            ELSE 0 END);
END $function$;
