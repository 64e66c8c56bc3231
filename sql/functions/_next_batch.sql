-- The row to append for a batch that went through: what it did, and how the run goes on.
-- No search_path of its own: only pinned functions may call it, and every batch does.
CREATE OR REPLACE FUNCTION retention._next_batch(
    p_policy retention.policy, p_last retention.batch, p_mode text,
    p_result retention.batch_result)
RETURNS retention.batch
LANGUAGE plpgsql STABLE
AS $function$
DECLARE
    v_next retention.batch := p_last;
    v_refused boolean := p_last.next_skip AND (p_last.sqlstate LIKE '23%' OR p_last.sqlstate = 'P0001');
BEGIN
    v_next.n := p_last.n + 1;
    v_next.mode := CASE WHEN p_last.next_skip THEN 'skip' ELSE p_mode END;
    v_next.scanned := p_result.scanned;
    v_next.taken := p_result.taken;
    v_next.kept := coalesce(p_result.kept, '{}');
    v_next.contended := p_result.contended;
    v_next.related := coalesce(p_result.related, '{}');
    v_next.refused := 0;
    v_next.misses := 0;
    v_next.sqlstate := NULL;
    v_next.message := NULL;
    IF p_last.next_skip AND p_result.scanned > 0 THEN
        v_next.sqlstate := p_last.sqlstate;
        v_next.message := p_last.message;
        v_next.refused := v_refused::integer;
        v_next.contended := (NOT v_refused AND p_last.sqlstate <> 'PR002')::integer;
        IF p_last.sqlstate = 'PR002' THEN
            v_next.kept := '{"hold": 1}';
        END IF;
    END IF;
    v_next.total_taken := p_last.total_taken + v_next.taken;
    v_next.total_refused := p_last.total_refused + v_next.refused;
    v_next.next_skip := false;
    v_next.next_position := p_result."position";
    v_next.locked_batches := greatest(p_last.locked_batches - 1, 0);
    v_next.suspect_rows := CASE WHEN p_last.next_skip THEN 0
                                ELSE greatest(p_last.suspect_rows - p_result.scanned, 0) END;
    IF v_next.suspect_rows = 0 THEN
        v_next.next_rows := p_policy.batch_rows;
    END IF;
    IF p_result.outcome = 'last' THEN
        v_next.next_pass := p_last.next_pass + 1;
        IF v_next.next_pass <= jsonb_array_length(p_policy.passes) THEN
            v_next.next_position := NULL;
        END IF;
    END IF;
    RETURN v_next;
END
$function$;
REVOKE ALL ON FUNCTION retention._next_batch(retention.policy, retention.batch, text, retention.batch_result) FROM PUBLIC;
