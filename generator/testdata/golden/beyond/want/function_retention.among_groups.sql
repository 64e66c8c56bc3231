-- as owner
-- The groups that hold more than 10 rows, and how many more: asked once, when a run starts.
CREATE OR REPLACE FUNCTION retention.among_groups(slice retention.slice) RETURNS TABLE (key text[], surplus bigint)
LANGUAGE sql STABLE AS $function$
    SELECT ARRAY[t.owner_id::text]::text[], count(*) - 10 FROM app.note t WHERE (NOT t.starred) GROUP BY t.owner_id
    HAVING count(*) > 10
$function$;

-- to drop it
