-- as owner
-- Reads what every batch of a run goes by, when the run starts. The rows stay until the next run replaces them.
CREATE OR REPLACE FUNCTION retention.notes_joined_start(retention.slice) RETURNS jsonb LANGUAGE plpgsql AS $function$
BEGIN
    DELETE FROM retention.notes_joined_c;
    INSERT INTO retention.notes_joined_c
    SELECT q.* FROM (SELECT kind, kept FROM app.config WHERE days > 0) q;
    RETURN '{}'::jsonb;
END $function$;

-- to drop it
