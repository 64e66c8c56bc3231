-- as worker
-- Says that rows of policy tracked are in use: sets read_at, reads of those with one of the keys, in the order of these.
-- Keys are trimmed; NULLs, empty ones and repetitions do not count. A row that is gone is made anew from app.catalogue. Answers how many rows were there and are back.
CREATE OR REPLACE FUNCTION retention.tracked_touch(p_keys text[], OUT touched bigint, OUT revived bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp SET timezone = 'UTC'
SET datestyle = 'ISO, YMD' SET intervalstyle = 'postgres' SET bytea_output = 'hex' SET extra_float_digits = 1
SET standard_conforming_strings = on SET transform_null_equals = off SET array_nulls = on SET row_security = off
SET jit = off SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $function$
#variable_conflict use_column
DECLARE
    v_as_of CONSTANT timestamptz := clock_timestamp();
    v_key text;
BEGIN
    touched := 0;
    revived := 0;
    p_keys := ARRAY(SELECT DISTINCT btrim(x.key, E' \t\r\n')::text FROM unnest(p_keys) AS x(key)
                    WHERE btrim(x.key, E' \t\r\n') <> '' ORDER BY 1);

    -- One key after the other, whether its row is there or not, so that no two calls wait for each
    -- other in a circle.
    FOREACH v_key IN ARRAY p_keys LOOP
        UPDATE app.tracked t SET read_at = (v_as_of), reads = (t.reads + 1) WHERE t.slug = v_key;
        IF FOUND THEN
            touched := touched + 1;
        ELSE
            INSERT INTO app.tracked (slug, name, read_at)
            SELECT (c.slug), (c.name), (v_as_of) FROM app.catalogue c WHERE (c.slug) = v_key ON CONFLICT DO NOTHING;
            IF FOUND THEN
                revived := revived + 1;
                INSERT INTO retention.event (policy, event, payload, at)
                VALUES ('tracked', 'revived', jsonb_build_object('slug', v_key), v_as_of);
            END IF;
        END IF;
    END LOOP;
    PERFORM retention._ring_for('tracked', revived);
END $function$;

-- to drop it
