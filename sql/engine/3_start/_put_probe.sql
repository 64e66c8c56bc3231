-- _put_probe writes the probe of a policy, if it can have one. If p_policy is NULL, it does so for
-- all policies. The query has the bounds of the policy's clocks, and its condition if there is one
-- clock. So each due row meets it, and other rows may meet it, too.
-- PostgreSQL resolves its names: a function is created with the query as its body, printed with the
-- schema of each name that is not in pg_catalog, and rolled back. A policy has no probe in these
-- cases, and run_if_due() runs it each time:
-- - Its due rows depend on more than its table: joins, inputs, watermarks, or ranks alone. Or it
--   takes partitions, or is an instance of a policy for several schemas.
-- - The query depends on an object that is not PostgreSQL's or the runtime's, except enum types. Or
--   it contains a subquery, a whole row, an object identifier type, XML, a text search without a
--   configuration, or a function whose result may depend on settings.
-- - A column in it has a type that is not PostgreSQL's, and no enum type.
-- - Code of a role that is not trusted could run when PostgreSQL reads the query.
CREATE OR REPLACE FUNCTION retention._put_probe(p_policy text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET timezone = 'UTC' SET datestyle = 'ISO, YMD'
SET intervalstyle = 'postgres' SET bytea_output = 'hex' SET extra_float_digits = 1 SET standard_conforming_strings = on
SET lc_monetary = 'C' SET lc_numeric = 'C' SET lc_time = 'C' SET transform_null_equals = off
SET quote_all_identifiers = off AS $function$
DECLARE
    c_first CONSTANT oid := 16384;  -- objects of initdb have lower OIDs
    -- Their results depend on the time zone, which is fixed, and on no other setting.
    c_zoned CONSTANT text[] := '{date_part,date_trunc,extract,timezone}';
    v_path CONSTANT text := (
        SELECT 'pg_catalog, ' || string_agg(quote_ident(x), ', ') || ', pg_temp'
        FROM retention.install i, unnest(string_to_array(i.search_path, ', ')) x);
    v_policy record; v_query text; v_plain boolean;
BEGIN
    -- Runs read times without a zone in this one, too.
    PERFORM set_config('timezone', i.time_zone, true) FROM retention.install i;
    DELETE FROM retention.probe b WHERE b.policy = coalesce(p_policy, b.policy);
    FOR v_policy IN
        SELECT p.name, n.nspname, c.relname, c.oid AS rel,
               format('EXISTS (SELECT FROM %I.%I t WHERE (%s)%s)', n.nspname, c.relname, (
                   SELECT string_agg(format('(%s)', e ->> 'bound'), ' OR ') FROM jsonb_array_elements(p.passes) e),
                   ' AND (' || nullif(p.facts ->> 'where', '') || ')') AS query
        FROM retention.policy p
        JOIN pg_class c ON c.oid = ANY (retention._resolve_tables(ARRAY[p.table_name])) AND c.relkind = 'r'
        JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE p.name = coalesce(p_policy, p.name) AND strpos(p.name, '@') = 0 AND p.joined IS NULL
          AND NOT (p.report OR p.partitions OR p.prepares) AND p.passes <> '[]'
          AND NOT p.passes @? '$[*] ? (exists (@.groups) || exists (@.whole) || !exists (@.bound))'
          AND NOT EXISTS (SELECT FROM retention._foreign_code(ARRAY[p]))
    LOOP
        v_query := NULL; v_plain := false;
        BEGIN
            PERFORM set_config('search_path', v_path, true);
            EXECUTE format('CREATE FUNCTION retention._this_probe(retention.batch_range) RETURNS boolean LANGUAGE sql '
                           'STABLE RETURN (%s)', v_policy.query);
            PERFORM set_config('search_path', 'pg_catalog, pg_temp', true);
            SELECT substr(pg_get_function_sqlbody(f.oid), length('RETURN ') + 1), NOT EXISTS (
                SELECT FROM pg_depend d
                LEFT JOIN pg_attribute a ON a.attrelid = d.refobjid AND a.attnum = d.refobjsubid
                    AND d.refclassid = 'pg_class'::regclass AND d.refobjsubid > 0
                LEFT JOIN pg_type t ON t.oid = CASE d.refclassid WHEN 'pg_type'::regclass THEN d.refobjid
                    ELSE a.atttypid END
                WHERE d.classid = 'pg_proc'::regclass AND d.objid = f.oid AND d.refobjid >= c_first
                  AND CASE d.refclassid WHEN 'pg_namespace'::regclass THEN false
                    WHEN 'pg_class'::regclass THEN d.refobjid <> r.typrelid AND (d.refobjid <> v_policy.rel
                        OR t.oid >= c_first AND t.typtype <> 'e')
                    WHEN 'pg_type'::regclass THEN t.oid <> r.oid AND t.typtype <> 'e'
                    WHEN 'pg_proc'::regclass THEN NOT EXISTS (
                        SELECT FROM pg_proc o WHERE o.oid = d.refobjid AND o.pronamespace = f.pronamespace
                            AND o.proowner = f.proowner AND o.proname ~ '^_')
                    ELSE true END)
            INTO v_query, v_plain FROM pg_proc f CROSS JOIN pg_type r
            WHERE f.oid = to_regprocedure('retention._this_probe(retention.batch_range)')
              AND r.oid = 'retention.batch_range'::regtype;
            RAISE SQLSTATE 'PR009';  -- rolls back the function
        EXCEPTION WHEN SQLSTATE 'PR009' THEN NULL;
        WHEN OTHERS THEN v_query := NULL;
        END;
        CONTINUE WHEN v_query IS NULL OR NOT v_plain
            OR v_query ~* '\mt\.\*|::reg|@@|\mxml|\m(current_|session_|system_|user\M)|\mSELECT\M.*\mSELECT\M'
            OR EXISTS (  -- what is no function of pg_catalog is syntax, or is among the dependencies
                SELECT FROM regexp_matches(v_query, '"?(\w+)"?\s*\(', 'g') w JOIN pg_proc f ON f.proname = w[1]
                    AND f.pronamespace = 'pg_catalog'::regnamespace
                WHERE f.provolatile <> 'i' AND f.proname <> ALL (c_zoned));
        INSERT INTO retention.probe (policy, schema_name, rel_name, query)
        VALUES (v_policy.name, v_policy.nspname, v_policy.relname, v_query);
    END LOOP;
END $function$;
