-- _names returns the names in the SQL of a policy or report that PostgreSQL may look up in several
-- schemas, as [schema, name] pairs.
-- called: names of functions and operators. PostgreSQL chooses among these by their argument types.
-- found: names of objects outside pg_catalog that PostgreSQL looks up by name alone, such as types
--   and collations
-- Words in string literals are included, because a literal may be the name of an object.
CREATE OR REPLACE FUNCTION retention._names(p_policy retention.policy) RETURNS jsonb
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET standard_conforming_strings = on AS $function$
DECLARE
    c_word CONSTANT text := '([^\s!-#%-/:-@[-^`{-~]+)'; c_quoted CONSTANT text := '"((?:[^"]|"")+)"';
    -- The operators to which PostgreSQL translates IN, LIKE and other syntax.
    c_syntax CONSTANT text := ' = <> < > <= >= ~~ !~~ ~~* !~~* ~ ';
    v_path CONSTANT text[] := (SELECT string_to_array(i.search_path, ', ') FROM retention.install i);
    v_sql CONSTANT text := (
        SELECT concat_ws(' ', string_agg(f.prosrc, ' '), (
            SELECT string_agg(v #>> '{}', ' ')
            FROM jsonb_path_query(jsonb_build_array(p_policy.passes, p_policy.joined, p_policy.facts, p_policy.steps,
                p_policy.restores), 'strict $.**') v WHERE jsonb_typeof(v) = 'string'))
        FROM pg_proc f JOIN pg_class c ON c.oid = 'retention.policy'::regclass AND c.relnamespace = f.pronamespace
        WHERE f.proname IN (SELECT p_policy.name || '_' || w
            FROM unnest('{advance,beyond,claim,cursor,effects,groups,related,report,rows,
                                seen,start,take,touch}'::text[]) w));
BEGIN
    RETURN (
        WITH word (schema, name, called) AS (
            SELECT lower(m[1]), lower(m[2]), m[3] IS NOT NULL
            FROM regexp_matches(v_sql, format('(?:%s\s*\.\s*)?%1$s(\s*\()?', c_word), 'g') m
            UNION SELECT coalesce(replace(m[1], '""', '"'), lower(m[2])), replace(m[3], '""', '"'), m[4] IS NOT NULL
            FROM regexp_matches(v_sql, format('(?:(?:%s|%s)\s*\.\s*)?%1$s(\s*\()?', c_quoted, c_word), 'g') m
            UNION SELECT lower(m[1]), substr(m[2], i, n), true
            FROM regexp_matches(c_syntax || v_sql, format('(?:%s\s*\.\s*)?([-+*/<>=~!@#%%^&|`?]+)', c_word), 'g') m,
                 generate_series(1, length(m[2])) i, generate_series(1, length(m[2]) - i + 1) n
        ), named AS MATERIALIZED (
            SELECT s.schema, w.name, bool_or(w.called) AS called,
                   min(s.n) FILTER (WHERE w.schema IS NULL) AS n
            FROM word w CROSS JOIN unnest(CASE WHEN w.schema IS NULL THEN v_path ELSE ARRAY[w.schema] END)
                WITH ORDINALITY s (schema, n)
            JOIN pg_namespace n ON n.nspname = s.schema
            WHERE octet_length(w.name) < 64 AND n.oid NOT IN ('pg_catalog'::regnamespace, (
                SELECT c.relnamespace FROM pg_class c WHERE c.oid = 'retention.policy'::regclass))
            GROUP BY 1, 2
        )
        SELECT jsonb_strip_nulls(jsonb_build_object(
            'called', jsonb_agg(DISTINCT jsonb_build_array(n.schema, n.name)) FILTER (WHERE n.called),
            'found', jsonb_agg(jsonb_build_array(n.schema, n.name) ORDER BY n.n) FILTER (WHERE n.n > 0 AND n.name IN (
                SELECT f.name FROM retention._resolve_names((
                    SELECT jsonb_agg(jsonb_build_array(x.schema, x.name) ORDER BY x.n) FROM named x
                        WHERE x.n > 0)) f))))
        FROM named n);
END $function$;
