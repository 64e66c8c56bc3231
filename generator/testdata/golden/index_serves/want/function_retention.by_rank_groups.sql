-- as owner
-- The groups that hold more than 3 rows, and how many more: asked once, when a run starts.
CREATE OR REPLACE FUNCTION retention.by_rank_groups(slice retention.slice) RETURNS TABLE (key text[], surplus bigint)
LANGUAGE sql STABLE AS $function$
    SELECT ARRAY[t.owner_id::text]::text[], count(*) - 3 FROM app.served t WHERE true GROUP BY t.owner_id
    HAVING count(*) > 3
$function$;

-- to drop it
