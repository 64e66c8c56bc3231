-- as owner
-- Reads what policy notes_joined needs to know, once when a run starts: every batch of the run goes by
-- the same. The rows stay until the next run replaces them.
CREATE OR REPLACE FUNCTION retention.notes_joined_start(retention.slice)
RETURNS jsonb
LANGUAGE plpgsql
AS $function$
BEGIN
    DELETE FROM retention.notes_joined_c;
    INSERT INTO retention.notes_joined_c
    SELECT q.* FROM (SELECT kind, kept FROM app.config WHERE days > 0) q;
    RETURN '{}'::jsonb;
END
$function$;

-- to drop it
