-- as owner
-- The groups that hold more than 50 rows, and how many more: asked once, when a run starts.
CREATE OR REPLACE FUNCTION retention.notes_any_groups(slice retention.slice) RETURNS TABLE (key text[], surplus bigint)
LANGUAGE sql STABLE AS $function$
    SELECT ARRAY[t.owner_id::text]::text[], count(*) - 50 FROM app.note t WHERE (t.kind <> 'pinned') GROUP BY t.owner_id
    HAVING count(*) > 50
$function$;

-- to drop it
