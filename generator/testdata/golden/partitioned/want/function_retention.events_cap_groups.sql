-- as owner
-- The groups that hold more than 1000000 rows, and how many more: asked once, when a run starts.
CREATE OR REPLACE FUNCTION retention.events_cap_groups(slice retention.slice) RETURNS TABLE (key text[], surplus bigint)
LANGUAGE sql STABLE AS $function$
    SELECT ARRAY[]::text[], count(*) - 1000000 FROM app.event t WHERE true HAVING count(*) > 1000000
$function$;

-- to drop it
