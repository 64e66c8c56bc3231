-- as worker
-- Claims keys of policy loans and returns those that were won, each once, by one of all who ask; until the claim expires, after
-- p_ttl or else 1 month. It is part of the caller's transaction: others who ask wait for its end. In the order of the keys, so
-- that no two calls wait for each other in a circle. 40001 in REPEATABLE READ for a key claimed since that began; 22004 for a NULL
-- key; 22023 for a p_ttl that is not longer than zero.
CREATE OR REPLACE FUNCTION retention.loans_claim(p_keys bigint[], p_ttl interval DEFAULT NULL) RETURNS SETOF bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp SET timezone = 'UTC'
SET datestyle = 'ISO, YMD' SET intervalstyle = 'postgres' SET bytea_output = 'hex' SET extra_float_digits = 1
SET standard_conforming_strings = on SET transform_null_equals = off SET array_nulls = on SET row_security = off
SET jit = off SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $function$
#variable_conflict use_column
DECLARE
    v_as_of CONSTANT timestamptz := clock_timestamp();
    v_until CONSTANT timestamptz := v_as_of + coalesce(p_ttl, interval '1 month');
    v_free bigint[];
    v_won bigint;
BEGIN
    IF array_position(p_keys, NULL) IS NOT NULL THEN
        RAISE null_value_not_allowed USING MESSAGE = 'a key that is claimed must not be NULL';
    END IF;
    IF p_ttl IS NOT NULL THEN
        PERFORM retention._check_ttl(v_as_of, p_ttl, NULL, NULL);
    END IF;
    -- Most duplicates are seen here, where they cost no write.
    v_free := ARRAY(SELECT DISTINCT x.key FROM unnest(p_keys) AS x(key)
                    WHERE NOT EXISTS (SELECT FROM app.loan t WHERE t.id = x.key
                                        AND ((t.used_at <= v_as_of OR t.used_at IS NULL)
                                            AND NOT retention._is_held(t.tableoid, t.ctid, v_as_of)) IS NOT TRUE)
                    ORDER BY 1);
    IF cardinality(v_free) > 0 THEN
        RETURN QUERY
        INSERT INTO app.loan AS t (id, used_at)
        SELECT k.key, v_until FROM unnest(v_free) AS k(key) ORDER BY k.key ON CONFLICT (id) DO UPDATE
        SET id = excluded.id, used_at = excluded.used_at, note_id = DEFAULT
        WHERE (t.used_at <= v_as_of OR t.used_at IS NULL) AND NOT retention._is_held(t.tableoid, t.ctid, v_as_of)
        RETURNING t.id;
        GET DIAGNOSTICS v_won = ROW_COUNT;
    END IF;
    IF cardinality(p_keys) > 0 THEN
        PERFORM retention._count_claims('loans', cardinality(p_keys), coalesce(v_won, 0));
    END IF;
END $function$;

-- to drop it
