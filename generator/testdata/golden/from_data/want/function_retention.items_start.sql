-- as owner
-- Reads what every batch of a run goes by, when the run starts. The rows stay until the next run replaces them.
CREATE OR REPLACE FUNCTION retention.items_start(retention.slice) RETURNS jsonb LANGUAGE plpgsql AS $function$
BEGIN
    DELETE FROM retention.items_c;
    INSERT INTO retention.items_c
    SELECT q.* FROM (SELECT kind, max(days) AS days FROM app.config WHERE ($1).as_of IS NOT NULL GROUP BY kind) q;
    RETURN jsonb_build_object('up_to_1', (SELECT max(used_at) FROM app.loan)::timestamptz::text);
END $function$;

-- to drop it
