-- _restore_as_worker restores the rows that a run archived or changed, and holds them until
-- p_until. If p_key is given, it restores only the row with this key. It restores steps in reverse
-- order, because a row may need another one first. It repeats this as long as rows are restored.
-- If a group of rows raises an error, it tries half of the group, down to single rows. A row that
-- still fails is refused.
CREATE OR REPLACE FUNCTION retention._restore_as_worker(
    p_policy text, p_run bigint, p_until timestamptz, p_key jsonb, OUT restored bigint, OUT refused bigint)
LANGUAGE plpgsql AS $function$
DECLARE
    v_policy CONSTANT retention.policy := retention._get_policy(p_policy);
    v_as_of CONSTANT timestamptz := clock_timestamp(); v_found bigint := 0;
    v_before bigint; v_source record; v_count bigint; v_rels oid[]; v_tids tid[]; v_from integer;
    v_size integer; v_rows bigint; v_others boolean;
BEGIN
    restored := 0;
    LOOP
        FOR v_source IN
            SELECT s.* FROM jsonb_array_elements(v_policy.restores) WITH ORDINALITY e (source, n)
            CROSS JOIN LATERAL retention._restore_sql(e.source) s
            ORDER BY coalesce(array_position(v_policy.deletes, e.source ->> 'table'),
                              array_position(v_policy.deletes, v_policy.table_name) - 0.5) DESC, e.n
        LOOP
            EXECUTE v_source.kept INTO v_count, v_rels, v_tids USING p_run, v_as_of, p_key;
            v_found := v_found + CASE WHEN v_before IS NULL THEN v_count ELSE 0 END; v_from := 1;
            v_size := greatest(cardinality(v_tids), 1);
            LOOP
                BEGIN
                    EXECUTE v_source.back INTO v_rows, v_others
                    USING v_rels[v_from : v_from + v_size - 1], v_tids[v_from : v_from + v_size - 1],
                        p_until, format('restored run %s', p_run), v_as_of;
                    IF v_others THEN  -- otherwise each round would restore such a row again
                        RAISE EXCEPTION 'a trigger changes the key of a row, or another session has changed the kept row';
                    END IF;
                    SET CONSTRAINTS ALL IMMEDIATE;
                    restored := restored + v_rows; v_from := v_from + v_size; v_size := v_size * 2;
                EXCEPTION WHEN integrity_constraint_violation OR raise_exception OR assert_failure THEN
                    v_from := v_from + (v_size = 1)::integer; v_size := greatest(v_size / 2, 1);
                END;
                EXIT WHEN v_from > cardinality(v_tids);
            END LOOP;
        END LOOP;
        EXIT WHEN restored = coalesce(v_before, 0);
        v_before := restored;
    END LOOP;
    refused := v_found - restored;
END $function$;
