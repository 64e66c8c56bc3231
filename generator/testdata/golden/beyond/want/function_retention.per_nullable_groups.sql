-- as owner
-- The groups that hold more than 3 rows, and how many more: asked once, when a run starts.
CREATE OR REPLACE FUNCTION retention.per_nullable_groups(slice retention.slice)
RETURNS TABLE (key text[], surplus bigint) LANGUAGE sql STABLE AS $function$
    SELECT ARRAY[t.state::text]::text[], count(*) - 3 FROM app.note t WHERE true GROUP BY t.state HAVING count(*) > 3
$function$;

-- to drop it
