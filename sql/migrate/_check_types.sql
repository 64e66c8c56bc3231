-- _check_types determines the types of a policy's expressions again, as the worker and without
-- reading a row. Raises 55000 if a type differs from the type in the catalog snapshot.
CREATE OR REPLACE FUNCTION retention._check_types(p_policy text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $function$
DECLARE v_expression record; v_type text;
BEGIN
    FOR v_expression IN
        SELECT t.key AS query, t.value AS type
        FROM retention.policy p CROSS JOIN jsonb_each(p.dependencies) e CROSS JOIN jsonb_each_text(e.value -> 'types') t
        WHERE p.name = p_policy ORDER BY t.key
    LOOP
        -- coalesce with NULL returns a domain's base type. -1 means without length or precision.
        SELECT format_type((l #>> '{}')::oid, -1) INTO STRICT v_type FROM retention._query_as_worker(format(
            'SELECT to_jsonb(pg_catalog.pg_typeof(coalesce((%s LIMIT 0), NULL))::oid)', v_expression.query), NULL,
            p_policy) l;
        IF v_type <> v_expression.type THEN
            RAISE object_not_in_prerequisite_state USING
                MESSAGE = format('an expression has type %s, not %s', v_type, v_expression.type),
                DETAIL = format('It was read by: %s', v_expression.query),
                HINT = 'Run "pgretain snapshot", then "pgretain generate", and migrate.';
        END IF;
    END LOOP;
END $function$;
