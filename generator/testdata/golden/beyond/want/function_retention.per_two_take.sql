-- as owner
-- Takes the rows past the first 5 of the groups ($1).groups, of the rows ($1).tids only where these are given.
CREATE OR REPLACE FUNCTION retention.per_two_take(retention.slice) RETURNS retention.taken LANGUAGE plpgsql
AS $function$
DECLARE v_out retention.taken := ROW(0, '{}', '{}');
BEGIN
    EXECUTE $sql$
    WITH g AS MATERIALIZED (SELECT g.*, f.*
        FROM (SELECT (x.key ->> 0)::bigint AS k1, (x.key ->> 1)::text AS k2
            FROM jsonb_array_elements(($1).groups) x (key)) g
        CROSS JOIN LATERAL (SELECT t.made_at AS o1, t.id AS o2 FROM app.note t WHERE (t.kind = 'draft')
                              AND t.owner_id = g.k1 AND t.kind = g.k2 ORDER BY t.made_at, t.id OFFSET 5 LIMIT 1) f)
    DELETE FROM app.note t USING g WHERE (t.kind = 'draft') AND t.owner_id = g.k1 AND t.kind = g.k2
      AND (t.made_at, t.id) >= (g.o1, g.o2) AND (($1).tids IS NULL OR t.ctid = ANY (($1).tids))
    $sql$ USING $1; GET DIAGNOSTICS v_out.taken = ROW_COUNT;
    RETURN v_out;
END $function$;

-- to drop it
