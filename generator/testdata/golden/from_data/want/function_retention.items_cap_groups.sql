-- as owner
-- The groups that hold more than their number of rows, and how many more: asked once, when a run starts.
CREATE OR REPLACE FUNCTION retention.items_cap_groups(slice retention.slice) RETURNS TABLE (key text[], surplus bigint)
LANGUAGE sql STABLE AS $function$
    SELECT ARRAY[t.owner_id::text]::text[], count(*) - min(CASE
                                                               WHEN v_count.value IS NULL THEN 3
                                                               WHEN v_count.value IN (0) THEN NULL
                                                               WHEN v_count.value <= 0 THEN NULL
                                                               ELSE least(50, v_count.value)
                                                           END)
    FROM app.note t CROSS JOIN LATERAL (SELECT (SELECT o.days FROM app.owner o
        WHERE o.id = t.owner_id) AS value) v_count
    WHERE (SELECT o.enabled FROM app.owner o WHERE o.id = t.owner_id) GROUP BY t.owner_id
    HAVING count(*) > min(CASE
                              WHEN v_count.value IS NULL THEN 3
                              WHEN v_count.value IN (0) THEN NULL
                              WHEN v_count.value <= 0 THEN NULL
                              ELSE least(50, v_count.value)
                          END)
$function$;

-- to drop it
