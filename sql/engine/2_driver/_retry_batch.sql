-- _retry_batch returns how a run continues if a batch could not begin. The driver tries the batch
-- again after 0.1, 0.2 and 0.4 s. Then the run ends "more".
CREATE OR REPLACE FUNCTION retention._retry_batch(p_next retention.batch, p_why text) RETURNS retention.step
LANGUAGE plpgsql AS $function$
DECLARE
    v_misses CONSTANT integer := (SELECT count(*) FROM retention.batch b WHERE b.run_id = p_next.run_id
        AND b.n >= p_next.n - 3 AND b.mode = 'undone');
BEGIN
    IF v_misses >= 3 THEN RETURN retention._finish(p_next.run_id, 'more', '55P03', p_why); END IF;
    p_next.sqlstate := '55P03'; p_next.message := p_why;
    INSERT INTO retention.batch SELECT p_next.*;
    RETURN (p_next.run_id, true, clock_timestamp() + 0.1 * 2 ^ v_misses * interval '1 s')::retention.step;
END $function$;
