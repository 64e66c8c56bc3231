-- as owner
-- Claims a key of policy loans: true for one of all who ask for it, until the claim expires, after p_ttl or else
-- 1 month. It is part of the caller's transaction: others who ask wait for its end. 40001 in REPEATABLE READ for a key
-- claimed since that began; 22004 for a NULL key; 22023 for a p_ttl that is not longer than zero.
CREATE OR REPLACE FUNCTION retention.loans_claim(p_key bigint, p_ttl interval DEFAULT NULL) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp SET timezone = 'UTC'
SET datestyle = 'ISO, YMD' SET intervalstyle = 'postgres' SET bytea_output = 'hex' SET extra_float_digits = 1
SET standard_conforming_strings = on SET transform_null_equals = off SET array_nulls = on SET row_security = off
SET jit = off SET enable_seqscan = off AS $function$
#variable_conflict use_column
DECLARE
    v_as_of CONSTANT timestamptz := clock_timestamp();
    v_until CONSTANT timestamptz := v_as_of + coalesce(p_ttl, interval '1 month');
    v_won boolean := false;
BEGIN
    IF p_key IS NULL THEN
        RAISE null_value_not_allowed USING MESSAGE = 'a key that is claimed must not be NULL';
    END IF;
    IF p_ttl IS NOT NULL THEN
        PERFORM retention._check_ttl(v_as_of, p_ttl, NULL, NULL);
    END IF;
    -- Most duplicates are seen here, where they cost no write.
    IF NOT EXISTS (SELECT FROM app.loan t WHERE t.id = p_key
                     AND ((t.used_at <= v_as_of OR t.used_at IS NULL) AND NOT retention._is_held(t.tableoid, t.ctid,
                         v_as_of)) IS NOT TRUE) THEN
        INSERT INTO app.loan AS t (id, used_at)
        VALUES (p_key, v_until) ON CONFLICT (id) DO UPDATE
        SET id = excluded.id, used_at = excluded.used_at, note_id = DEFAULT
        WHERE (t.used_at <= v_as_of OR t.used_at IS NULL) AND NOT retention._is_held(t.tableoid, t.ctid, v_as_of);
        v_won := FOUND;
    END IF;
    PERFORM retention._count_claims('loans', 1, v_won::integer);
    RETURN v_won;
END $function$;

-- to drop it
