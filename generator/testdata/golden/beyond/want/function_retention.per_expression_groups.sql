-- as owner
-- The groups that hold more than 1 rows, and how many more: asked once, when a run starts.
CREATE OR REPLACE FUNCTION retention.per_expression_groups(slice retention.slice)
RETURNS TABLE (key text[], surplus bigint) LANGUAGE sql STABLE AS $function$
    SELECT ARRAY[t.owner_id::text, (date_trunc('day', t.made_at))::text::text]::text[], count(*) - 1 FROM app.note t
    WHERE (coalesce(t.score, 0)) IS NOT NULL GROUP BY t.owner_id, (date_trunc('day', t.made_at))::text
    HAVING count(*) > 1
$function$;

-- to drop it
