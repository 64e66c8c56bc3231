-- A batch that could not even begin: tries again after 0.1, 0.2 and 0.4 s, then the run ends
-- "more".
-- No search_path of its own: only pinned functions may call it, and every batch does.
CREATE OR REPLACE FUNCTION retention._missed(p_run bigint, p_last retention.batch, p_why text)
RETURNS retention.step
LANGUAGE plpgsql
AS $function$
DECLARE
    v_next retention.batch := p_last;
BEGIN
    IF p_last.misses >= 3 THEN
        RETURN retention._finish(p_run, 'more', '55P03', p_why);
    END IF;
    v_next := retention._undone(p_last, '55P03', p_why);
    v_next.misses := p_last.misses + 1;
    IF p_last.next_skip THEN  -- what is wrong with the row to be passed by stays known
        v_next.sqlstate := p_last.sqlstate;
        v_next.message := p_last.message;
    END IF;
    INSERT INTO retention.batch SELECT v_next.*;
    RETURN (p_run, true, clock_timestamp() + 0.1 * 2 ^ p_last.misses * interval '1 s')::retention.step;
END
$function$;
REVOKE ALL ON FUNCTION retention._missed(bigint, retention.batch, text) FROM PUBLIC;
