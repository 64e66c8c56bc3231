-- as owner
-- The groups that hold more than 1000 rows, and how many more: asked once, when a run starts.
CREATE OR REPLACE FUNCTION retention.per_one_groups(slice retention.slice) RETURNS TABLE (key text[], surplus bigint)
LANGUAGE sql STABLE AS $function$
    SELECT ARRAY[t.owner_id::text]::text[], count(*) - 1000 FROM app.note t WHERE true GROUP BY t.owner_id
    HAVING count(*) > 1000
$function$;

-- to drop it
