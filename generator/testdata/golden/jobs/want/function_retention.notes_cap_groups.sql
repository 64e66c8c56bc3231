-- as owner
-- The groups that hold more than 1000 rows, and how many more: asked once, when a run starts.
CREATE OR REPLACE FUNCTION retention.notes_cap_groups(slice retention.slice) RETURNS TABLE (key text[], surplus bigint)
LANGUAGE sql STABLE AS $function$
    SELECT ARRAY[]::text[], count(*) - 1000 FROM app.note t WHERE true HAVING count(*) > 1000
$function$;

-- to drop it
