-- _held_rows returns all held rows of a policy's table, as _held determines them. People call it,
-- and so do ranks with keep.hold.
CREATE OR REPLACE FUNCTION retention._held_rows(p_policy text, p_as_of timestamptz) RETURNS TABLE (rel oid, tid tid)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET jit = off AS $function$
BEGIN
    IF retention._holds(p_policy, p_as_of) THEN
        RETURN QUERY SELECT h.* FROM retention._query_as_worker(format(
            'SELECT to_jsonb(h) FROM (SELECT array_agg(t.tableoid) AS rels, array_agg(t.ctid) AS tids FROM %s t) r,
                 retention._held(%L, r.rels, r.tids, ($1 #>> ''{}'')::timestamptz, false) h',
            retention._table((retention._get_policy(p_policy)).table_name)::regclass, p_policy),
            to_jsonb(p_as_of), p_policy) l, jsonb_to_record(l) h (rel oid, tid tid);
    END IF;
END $function$;
