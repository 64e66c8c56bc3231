-- _left_as_worker counts the due rows of a policy for _count_left, p_limit at most. It evaluates
-- one row after the other until p_until, so one slow row, or the search for the first one, can
-- delay it. It locks nothing. After p_until it returns the rows that it has counted so far, or NULL
-- if it has counted none.
CREATE OR REPLACE FUNCTION retention._left_as_worker(
    p_policy text, p_as_of timestamptz, p_scope jsonb, p_older_than interval, p_limit bigint, p_until timestamptz)
RETURNS bigint
LANGUAGE plpgsql AS $function$
DECLARE
    v_held CONSTANT boolean := retention._holds(p_policy, p_as_of); v_rows refcursor; v_left bigint := 0;
    v_rel oid; v_tid tid; v_verdict text; v_end boolean; v_late boolean;
    v_rels oid[] := '{}'; v_tids tid[] := '{}';  -- due rows for which holds were not asked yet
BEGIN
    OPEN v_rows FOR EXECUTE format('SELECT d.rel, d.tid, d.verdict FROM %s',
        retention._rows_call(retention._get_policy(p_policy)))
        USING retention._batch_range(p_as_of, p_older_than, p_scope);
    LOOP
        FETCH v_rows INTO v_rel, v_tid, v_verdict;
        v_end := NOT FOUND; v_late := clock_timestamp() > p_until;
        IF NOT v_end AND v_verdict IS NULL THEN
            v_rels := v_rels || v_rel; v_tids := v_tids || v_tid;
        END IF;
        IF v_end OR v_late OR cardinality(v_rels) = least(500, p_limit - v_left) THEN
            v_left := v_left + cardinality(v_rels);
            IF v_held AND v_rels <> '{}' THEN
                v_left := v_left - (SELECT count(*) FROM (
                    SELECT DISTINCT h.rel, h.tid FROM retention._held(p_policy, v_rels, v_tids, p_as_of, false) h) x);
            END IF;
            v_rels := '{}'; v_tids := '{}';
            EXIT WHEN v_end OR v_left = p_limit;
            IF v_late THEN RETURN nullif(v_left, 0); END IF;
        END IF;
    END LOOP;
    RETURN v_left;
END $function$;
