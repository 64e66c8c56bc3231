-- _left_as_worker counts the due rows of a policy for _count_left, p_limit at most. It evaluates
-- one row after the other until p_until, so one slow row can delay it. It locks nothing. If time is
-- over, the result is what it has counted so far, or NULL if that is no row.
CREATE OR REPLACE FUNCTION retention._left_as_worker(
    p_policy text, p_as_of timestamptz, p_scope jsonb, p_older_than interval, p_limit bigint, p_until timestamptz)
RETURNS bigint
LANGUAGE plpgsql AS $function$
DECLARE
    v_held CONSTANT boolean := retention._holds(p_policy, p_as_of); v_rows refcursor; v_left bigint := 0;
    v_rel oid; v_tid tid; v_verdict text;
BEGIN
    OPEN v_rows FOR EXECUTE format('SELECT d.rel, d.tid, d.verdict FROM %s',
        retention._rows_call(retention._get_policy(p_policy)))
        USING retention._batch_range(p_as_of, p_older_than, p_scope);
    LOOP
        FETCH v_rows INTO v_rel, v_tid, v_verdict;
        EXIT WHEN NOT FOUND;
        IF v_verdict IS NULL AND NOT (v_held AND EXISTS (
            SELECT FROM retention._held(p_policy, ARRAY[v_rel], ARRAY[v_tid], p_as_of, false))) THEN
            v_left := v_left + 1;
            EXIT WHEN v_left = p_limit;
        END IF;
        IF clock_timestamp() > p_until THEN RETURN nullif(v_left, 0); END IF;
    END LOOP;
    RETURN v_left;
END $function$;
