-- How many rows a pass counts as kept, by guard: p_kept are those that it found, as [guard, table, place]. Of a row
-- that several passes find, the first without a rank counts it, else the first.
CREATE OR REPLACE FUNCTION retention._kept_here(p_policy retention.policy, p_slice retention.slice, p_kept jsonb)
RETURNS jsonb LANGUAGE plpgsql AS $function$
DECLARE v_slice retention.slice := p_slice; v_kept jsonb := coalesce(p_kept, '[]'); v_pass integer;
BEGIN
    FOR v_pass IN
        SELECT o.ordinality FROM jsonb_array_elements(p_policy.passes) WITH ORDINALITY o,
            (SELECT p_policy.passes -> (p_slice.pass - 1) ? 'ranked' AS ranked) own
        WHERE CASE WHEN o.value ? 'ranked' = own.ranked THEN o.ordinality < p_slice.pass ELSE own.ranked END
    LOOP
        EXIT WHEN v_kept = '[]';
        v_slice.pass := v_pass;
        EXECUTE format('SELECT coalesce(jsonb_agg(k.value), ''[]'') FROM jsonb_array_elements($2) k
                        WHERE (k.value ->> 1, k.value ->> 2) NOT IN (
                            SELECT d.rel::text, d.tid::text FROM retention.%I($1) d WHERE d.tid = ANY ($3))',
                                p_policy.name || '_rows')
        INTO v_kept USING v_slice, v_kept, v_slice.tids;
    END LOOP;
    RETURN coalesce((SELECT jsonb_object_agg(x.guard, x.n)
                     FROM (SELECT k.value ->> 0 AS guard, count(*) AS n FROM jsonb_array_elements(v_kept) k
                         GROUP BY 1) x), '{}');
END $function$;
