-- as owner
-- The groups that hold more than 5 rows, and how many more: asked once, when a run starts.
CREATE OR REPLACE FUNCTION retention.per_two_groups(slice retention.slice) RETURNS TABLE (key text[], surplus bigint)
LANGUAGE sql STABLE AS $function$
    SELECT ARRAY[t.owner_id::text, t.kind::text]::text[], count(*) - 5 FROM app.note t WHERE (t.kind = 'draft')
    GROUP BY t.owner_id, t.kind HAVING count(*) > 5
$function$;

-- to drop it
