-- _skip_row counts a skipped row by what kept it. It counts a refused row once in a run, even if
-- several passes meet the row.
CREATE OR REPLACE FUNCTION retention._skip_row(p_next retention.batch, p_policy retention.policy, p_by text, p_row text)
RETURNS retention.batch LANGUAGE plpgsql STABLE AS $function$
DECLARE v_next retention.batch := p_next;
BEGIN
    IF p_by = 'lock' THEN
        v_next.contended := v_next.contended + 1;
    ELSIF p_by = 'hold' THEN
        v_next.kept := retention._add_counts(v_next.kept, '{"hold": 1}');
    ELSIF v_next.next_pass = 1 OR NOT EXISTS (
        SELECT FROM retention.batch b
        WHERE b.run_id = v_next.run_id AND b.refused > 0 AND p_row = ANY (b.refused_rows)) THEN
        v_next.refused := v_next.refused + 1; v_next.total_refused := v_next.total_refused + 1;
        IF jsonb_array_length(p_policy.passes) > v_next.next_pass THEN
            v_next.refused_rows := array_append(v_next.refused_rows, p_row);
        END IF;
    END IF;
    RETURN v_next;
END $function$;
