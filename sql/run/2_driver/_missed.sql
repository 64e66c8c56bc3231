-- A batch that could not even begin: tried again after 0.1, 0.2 and 0.4 s, then the run ends "more".
CREATE OR REPLACE FUNCTION retention._missed(p_last retention.batch, p_why text) RETURNS retention.step
LANGUAGE plpgsql AS $function$
DECLARE
    v_next retention.batch := retention._next(p_last);
    v_misses CONSTANT integer := CASE WHEN p_last.mode <> 'undone' THEN 0 ELSE (
        SELECT count(*) FROM retention.batch b WHERE b.run_id = p_last.run_id AND b.n > p_last.n - 3
            AND b.mode = 'undone') END;
BEGIN
    IF v_misses >= 3 THEN RETURN retention._finish(p_last.run_id, 'more', '55P03', p_why); END IF;
    v_next.sqlstate := '55P03'; v_next.message := p_why;
    INSERT INTO retention.batch SELECT v_next.*;
    RETURN (p_last.run_id, true, clock_timestamp() + 0.1 * 2 ^ v_misses * interval '1 s')::retention.step;
END $function$;
