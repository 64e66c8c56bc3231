-- as owner
-- The groups that hold more than 20 rows, and how many more: asked once, when a run starts.
CREATE OR REPLACE FUNCTION retention.per_none_groups(slice retention.slice) RETURNS TABLE (key text[], surplus bigint)
LANGUAGE sql STABLE AS $function$
    SELECT ARRAY[]::text[], count(*) - 20 FROM app.note t WHERE (t.score) IS NOT NULL HAVING count(*) > 20
$function$;

-- to drop it
