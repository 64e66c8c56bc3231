-- as worker
-- Claims keys of policy claimed and returns those that were won, each once, by one of all who ask; until the claim expires, after
-- p_ttl or else the policy's time to live. It is part of the caller's transaction: others who ask wait for its end. In the order of the keys, so
-- that no two calls wait for each other in a circle. 40001 in REPEATABLE READ for a key claimed since that began; 22004 for a NULL
-- key; 22023 for a p_ttl that is not longer than zero, or out of bounds.
CREATE OR REPLACE FUNCTION retention.claimed_claim(p_keys character varying[], p_ttl interval DEFAULT NULL)
RETURNS SETOF character varying LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
SET timezone = 'UTC' SET datestyle = 'ISO, YMD' SET intervalstyle = 'postgres' SET bytea_output = 'hex'
SET extra_float_digits = 1 SET standard_conforming_strings = on SET transform_null_equals = off SET array_nulls = on
SET row_security = off SET jit = off SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
AS $function$
#variable_conflict use_column
DECLARE
    v_as_of CONSTANT timestamptz := clock_timestamp();
    v_until CONSTANT timestamptz := v_as_of + coalesce(p_ttl, retention._ttl('claimed', interval '15 minutes', interval '1 minute', interval '1 day'));
    v_free character varying[];
    v_won bigint;
BEGIN
    IF array_position(p_keys, NULL) IS NOT NULL THEN
        RAISE null_value_not_allowed USING MESSAGE = 'a key that is claimed must not be NULL';
    END IF;
    IF p_ttl IS NOT NULL THEN
        PERFORM retention._check_ttl(v_as_of, p_ttl, interval '1 minute', interval '1 day');
    END IF;
    -- Most duplicates are seen here, where they cost no write.
    v_free := ARRAY(SELECT DISTINCT x.key FROM unnest(p_keys) AS x(key)
                    WHERE NOT EXISTS (SELECT FROM app.claimed t WHERE t.hash = x.key
                                        AND (t.expires_at < v_as_of AND NOT retention._is_held(t.tableoid, t.ctid,
                                            v_as_of)) IS NOT TRUE)
                    ORDER BY 1);
    IF cardinality(v_free) > 0 THEN
        RETURN QUERY
        INSERT INTO app.claimed AS t (hash, expires_at, note)
        SELECT k.key, v_until, ('claimed at ' || v_as_of) FROM unnest(v_free) AS k(key) ORDER BY k.key
        ON CONFLICT (hash) DO UPDATE
        SET hash = excluded.hash, expires_at = excluded.expires_at, note = excluded.note, made_at = DEFAULT
        WHERE t.expires_at < v_as_of AND NOT retention._is_held(t.tableoid, t.ctid, v_as_of)
        RETURNING t.hash;
        GET DIAGNOSTICS v_won = ROW_COUNT;
    END IF;
    IF cardinality(p_keys) > 0 THEN
        PERFORM retention._count_claims('claimed', cardinality(p_keys), coalesce(v_won, 0));
    END IF;
END $function$;

-- to drop it
