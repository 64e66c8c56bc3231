-- _count returns how many rows of a policy are due, and what keeps the others. _count_as_worker
-- counts them.
CREATE OR REPLACE FUNCTION retention._count(
    p_policy text, p_as_of timestamptz, p_limit bigint, p_scope jsonb DEFAULT NULL, p_older_than interval DEFAULT NULL)
RETURNS retention.due_count
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET intervalstyle = 'postgres'
AS $function$
BEGIN
    RETURN (SELECT jsonb_populate_record(NULL::retention.due_count, l) FROM retention._query_as_worker(
        'SELECT to_jsonb(retention._count_as_worker($1 ->> 0, ($1 ->> 1)::timestamptz, ($1 ->> 2)::bigint,
             nullif($1 -> 3, ''null''), ($1 ->> 4)::interval))',
        jsonb_build_array(p_policy, p_as_of, p_limit, p_scope, p_older_than), p_policy) l);
END $function$;
