-- What runs until nothing is due would do: one row for each table that a step, or a foreign key behind it (path),
-- reaches, each row counted once. rows is NULL where note says why it cannot be known; bytes is estimated. effect
-- "blocked": a foreign key refuses; "refused": the row is there already. max_rows looks at so many due rows. Locks
-- nothing.
CREATE OR REPLACE FUNCTION retention.blast_radius(
    policy text, as_of timestamptz DEFAULT NULL, older_than interval DEFAULT NULL, scope jsonb DEFAULT NULL,
    max_rows bigint DEFAULT NULL)
RETURNS TABLE (step integer, effect text, table_name text, path text, rows bigint, bytes bigint, locks text, note text)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET jit = off AS $function$
DECLARE
    v_policy CONSTANT retention.policy := retention._known(blast_radius.policy);
    v_request retention.request; v_keys jsonb; v_found jsonb;
BEGIN
    v_request.as_of := blast_radius.as_of; v_request.older_than := blast_radius.older_than;
    v_request.scope := blast_radius.scope; v_request := retention._checked(v_policy, v_request, clock_timestamp());
    IF v_policy.report THEN
        RAISE invalid_parameter_value USING MESSAGE = format('"%s" is a report, and takes no rows', v_policy.name);
    END IF;
    SELECT coalesce(jsonb_agg(to_jsonb(k)), '[]') INTO v_keys
    FROM retention._keys_reached(ARRAY(SELECT retention._table(s) FROM unnest(v_policy.deletes) s)) k;
    v_found := retention._look(
        'SELECT coalesce(jsonb_agg(to_jsonb(x)), ''[]'') FROM (' || retention._radius_query(v_policy.name, v_keys)
        || ') x', jsonb_build_array(v_request.as_of, max_rows, v_request.scope, v_request.older_than), v_policy.name);
    v_found := v_found || (
        SELECT coalesce(jsonb_agg(jsonb_build_object('step', 0, 'verb', 'note', 'note', d.why)), '[]')
        FROM retention._doubts(v_policy.name, v_found, v_request.as_of) d (why));
    RETURN QUERY
    SELECT r.step, r.verb, r.table_name, r.path, CASE WHEN r.doubt IS NULL THEN r.n END,
           coalesce(r.size, CASE WHEN r.verb NOT IN ('insert', 'archive', 'blocked', 'refused', 'sql')
                                 THEN (r.n * retention._row_bytes(r.rel))::bigint END),
           retention._locks_of(r.verb, r.rel),
           nullif(concat_ws('; ', CASE WHEN r.doubt IS NULL OR r.n IS NULL THEN r.doubt
               ELSE format('%s as things are: %s', r.n, r.doubt) END, r.estimate, r.after,
                            CASE WHEN r.capped THEN format('or more, since only %s due rows were looked at',
                                max_rows) END), '')
    FROM retention._radius(v_keys, v_found, max_rows) r ORDER BY r.step, r.key, r.table_name, r.verb;
END $function$;
