-- _due returns how many rows of a policy are due. _due_as_worker counts them.
CREATE OR REPLACE FUNCTION retention._due(
    p_policy text, p_as_of timestamptz, p_limit bigint, p_guards boolean, p_scope jsonb, p_older_than interval)
RETURNS bigint
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET intervalstyle = 'postgres' AS $function$
BEGIN
    RETURN (SELECT l::bigint FROM retention._query_as_worker(
        'SELECT to_jsonb(retention._due_as_worker($1 ->> 0, ($1 ->> 1)::timestamptz, ($1 ->> 2)::bigint,
             ($1 ->> 3)::boolean, nullif($1 -> 4, ''null''), ($1 ->> 5)::interval))',
        jsonb_build_array(p_policy, p_as_of, p_limit, p_guards, p_scope, p_older_than), p_policy) l);
END $function$;
