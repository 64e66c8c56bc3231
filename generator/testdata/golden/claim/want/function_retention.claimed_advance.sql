-- as worker
-- Moves a cursor of policy claimed forward, and makes it where there is none; false where it is there already, or
-- further on. Positions are compared column by column; an empty one comes before all others. 22004 for a NULL.
CREATE OR REPLACE FUNCTION retention.claimed_advance(p_id text, p_1 bigint, p_2 text) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp SET timezone = 'UTC'
SET datestyle = 'ISO, YMD' SET intervalstyle = 'postgres' SET bytea_output = 'hex' SET extra_float_digits = 1
SET standard_conforming_strings = on SET transform_null_equals = off SET array_nulls = on SET row_security = off
SET jit = off SET enable_seqscan = off AS $function$
#variable_conflict use_column
BEGIN
    IF p_id IS NULL OR p_1 IS NULL OR p_2 IS NULL THEN
        RAISE null_value_not_allowed USING MESSAGE = 'the key and the position of a cursor must not be NULL';
    END IF;
    INSERT INTO app.marker AS t (id, at, hash)
    VALUES (p_id, p_1, p_2) ON CONFLICT (id) DO UPDATE SET at = excluded.at, hash = excluded.hash
    WHERE ((t.at, t.hash) < (excluded.at, excluded.hash)) IS NOT FALSE;
    RETURN FOUND;
END $function$;

-- to drop it
