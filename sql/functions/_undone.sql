-- The row to append for a batch that was rolled back: it counts nothing and stays where it was.
-- No search_path of its own: only pinned functions may call it, and every batch does.
CREATE OR REPLACE FUNCTION retention._undone(p_last retention.batch, p_sqlstate text, p_message text)
RETURNS retention.batch
LANGUAGE plpgsql VOLATILE
AS $function$
DECLARE
    v_next retention.batch := p_last;
BEGIN
    v_next.n := p_last.n + 1;
    v_next.at := clock_timestamp();
    v_next.mode := 'undone';
    v_next.ms := 0;
    v_next.scanned := 0;
    v_next.taken := 0;
    v_next.kept := '{}';
    v_next.contended := 0;
    v_next.refused := 0;
    v_next.related := '{}';
    v_next.cascaded := '{}';
    v_next.sqlstate := p_sqlstate;
    v_next.message := p_message;
    RETURN v_next;
END
$function$;
REVOKE ALL ON FUNCTION retention._undone(retention.batch, text, text) FROM PUBLIC;
