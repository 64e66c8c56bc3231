-- _count_kept returns how many rows between lo and hi of p_batch each guard keeps, and how many are
-- held.
CREATE OR REPLACE FUNCTION retention._count_kept(p_policy retention.policy, p_batch retention.batch_range) RETURNS jsonb
LANGUAGE plpgsql AS $function$
DECLARE v_cursor CONSTANT record := retention._cursor(p_policy, p_batch); v_kept jsonb;
BEGIN
    EXECUTE format('SELECT coalesce(jsonb_object_agg(k.guard, k.n), ''{}'')
                    FROM (SELECT coalesce(rtrim(d.verdict, ''?''), ''hold'') AS guard, count(*) AS n %s
                        AND (d.verdict IS NOT NULL OR (true%s) IS NOT TRUE) GROUP BY 1) k',
                   v_cursor.rows, p_batch.unheld)
    INTO v_kept USING p_batch;
    RETURN v_kept;
END $function$;
