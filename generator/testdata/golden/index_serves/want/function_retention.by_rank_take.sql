-- as owner
-- Takes the rows past the first 3 of the groups ($1).groups, of the rows ($1).tids only where these are given.
CREATE OR REPLACE FUNCTION retention.by_rank_take(retention.slice) RETURNS retention.taken LANGUAGE plpgsql
AS $function$
DECLARE v_out retention.taken := ROW(0, '{}', '{}');
BEGIN
    EXECUTE $sql$
    WITH g AS MATERIALIZED (SELECT g.*, f.*
        FROM (SELECT (x.key ->> 0)::bigint AS k1 FROM jsonb_array_elements(($1).groups) x (key)) g
        CROSS JOIN LATERAL (SELECT t.at AS o1, t.id AS o2 FROM app.served t WHERE t.owner_id = g.k1
                            ORDER BY t.at DESC, t.id DESC OFFSET 3 LIMIT 1) f)
    DELETE FROM app.served t USING g WHERE t.owner_id = g.k1 AND (t.at, t.id) <= (g.o1, g.o2)
      AND (($1).tids IS NULL OR t.ctid = ANY (($1).tids))
    $sql$ USING $1; GET DIAGNOSTICS v_out.taken = ROW_COUNT;
    RETURN v_out;
END $function$;

-- to drop it
