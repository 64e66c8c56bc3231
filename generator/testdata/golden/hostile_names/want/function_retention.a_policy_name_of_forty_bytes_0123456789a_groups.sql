-- as owner
-- The groups that hold more than 2 rows, and how many more: asked once, when a run starts.
CREATE OR REPLACE FUNCTION retention.a_policy_name_of_forty_bytes_0123456789a_groups(slice retention.slice)
RETURNS TABLE (key text[], surplus bigint) LANGUAGE sql STABLE AS $function$
    SELECT ARRAY[t."batch"::text]::text[], count(*) - 2
    FROM "Se""lect"."012345678901234567890123456789012345678901234567890123456789éa" t WHERE true GROUP BY t."batch"
    HAVING count(*) > 2
$function$;

-- to drop it
