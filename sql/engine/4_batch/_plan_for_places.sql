-- _plan_for_places sets planner settings for a pass whose cursor ends with the place of a row. For
-- other passes it does nothing. The planner then sorts rows with equal clocks only, as they come
-- from the index, instead of all rows. It joins each position to its row by a nested loop, so the
-- conditions of the policy are evaluated in the order of the walk.
CREATE OR REPLACE FUNCTION retention._plan_for_places(p_pass jsonb) RETURNS void LANGUAGE plpgsql AS $function$
BEGIN
    IF p_pass ? 'placed' THEN
        PERFORM set_config(s.name, 'off', true)
        FROM unnest('{enable_sort,enable_hashjoin,enable_mergejoin}'::text[]) s (name);
    END IF;
END $function$;
