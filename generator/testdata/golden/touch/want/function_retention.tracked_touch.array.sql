-- as owner
-- Says that rows of policy tracked are in use: sets read_at, reads of those with one of
-- the keys. Keys are trimmed; NULLs, empty ones and repetitions do not count. A key that nobody knows
-- changes nothing. A row that is gone is made anew from app.catalogue.
-- Answers how many rows were there and how many are back.
-- Locks: ROW EXCLUSIVE on the table; its rows, in the order of their keys, which it waits for.
DROP FUNCTION IF EXISTS retention.tracked_touch(text[]);
CREATE FUNCTION retention.tracked_touch(p_keys text[], OUT touched bigint, OUT revived bigint)
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, "public", pg_temp
SET timezone = 'UTC'
SET datestyle = 'ISO, YMD'
SET intervalstyle = 'postgres'
SET row_security = off
SET jit = off
SET enable_seqscan = off
SET enable_hashjoin = off
SET enable_mergejoin = off
AS $function$
#variable_conflict use_column
DECLARE
    v_as_of CONSTANT timestamptz := clock_timestamp();
BEGIN
    revived := 0;
    p_keys := ARRAY(SELECT DISTINCT btrim(x.key, E' \t\r\n')::text
                    FROM unnest(p_keys) AS x(key)
                    WHERE btrim(x.key, E' \t\r\n') <> '');

    -- Rows that others hold are waited for here, in one order; the next statement sees them as they
    -- are then, and not those that a run took meanwhile.
    PERFORM FROM "app"."tracked" t
    WHERE t."slug" = ANY (p_keys)
    ORDER BY t."slug"
    FOR NO KEY UPDATE OF t;
    UPDATE "app"."tracked" t
    SET "read_at" = (v_as_of), "reads" = (t.reads + 1)
    WHERE t."slug" = ANY (p_keys);
    GET DIAGNOSTICS touched = ROW_COUNT;

    IF touched < cardinality(p_keys) THEN
        WITH made AS (
            INSERT INTO "app"."tracked" AS t ("slug", "name", "read_at")
            SELECT (c.slug), (c.name), (v_as_of)
            FROM "app"."catalogue" "c"
            WHERE (c.slug) = ANY (p_keys)
              AND NOT EXISTS (SELECT FROM "app"."tracked" t WHERE t."slug" = (c.slug))
            ORDER BY (c.slug)
            ON CONFLICT DO NOTHING
            RETURNING t."slug"
        ), told AS (
            INSERT INTO retention.event (policy, event, payload, at)
            SELECT 'tracked', 'revived', jsonb_build_object('slug', m."slug"), v_as_of
            FROM made m
        )
        SELECT count(*) INTO revived FROM made;
        PERFORM retention._ring_for('tracked', revived);
    END IF;
END
$function$;
REVOKE ALL ON FUNCTION retention.tracked_touch(text[]) FROM PUBLIC;
GRANT USAGE ON SCHEMA retention TO "retention_operator", "app";
GRANT EXECUTE ON FUNCTION retention.tracked_touch(text[])
    TO "retention_operator", "app";
COMMENT ON FUNCTION retention.tracked_touch(text[])
    IS 'pgretain: rows in use, of policy tracked';

-- to drop it
DROP FUNCTION IF EXISTS retention.tracked_touch(text[]);
