-- _next returns the row of retention.batch for the next batch. The batch starts where p_last ended,
-- and all its counts are zero.
CREATE OR REPLACE FUNCTION retention._next(p_last retention.batch) RETURNS retention.batch
LANGUAGE plpgsql VOLATILE AS $function$
DECLARE v_next retention.batch := p_last;
BEGIN
    v_next.n := p_last.n + 1; v_next.at := clock_timestamp(); v_next.ms := 0; v_next.mode := 'undone';
    v_next.scanned := 0; v_next.taken := 0; v_next.kept := '{}'; v_next.contended := 0; v_next.refused := 0;
    v_next.refused_rows := NULL; v_next.related := '{}'; v_next.cascaded := '{}'; v_next.sqlstate := NULL;
    v_next.message := NULL;
    RETURN v_next;
END $function$;
