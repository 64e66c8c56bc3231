-- as owner
-- The groups that hold more than 10 rows, and how many more: asked once, when a run starts.
CREATE OR REPLACE FUNCTION retention.notes_ranked_groups(slice retention.slice)
RETURNS TABLE (key text[], surplus bigint) LANGUAGE sql STABLE AS $function$
    SELECT ARRAY[t.owner_id::text]::text[], count(*) - 10 FROM app.note t WHERE (NOT ((t.starred) IS NOT FALSE))
      AND ((t.tag IS NOT NULL) IS NOT FALSE) IS NOT NULL GROUP BY t.owner_id HAVING count(*) > 10
$function$;

-- to drop it
