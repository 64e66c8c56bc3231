-- _resolve_names returns the objects that PostgreSQL finds by name alone, for [schema, name] pairs.
-- For each name and kind, it returns the object in the first schema that has one. It returns none
-- if pg_catalog has an object of that name and kind.
-- The kinds are all that the catalog knows to have a name in a schema, except functions and
-- operators (see _candidates). It leaves out row types of tables.
CREATE OR REPLACE FUNCTION retention._resolve_names(p_names jsonb) RETURNS TABLE (name text, object text)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET enable_seqscan = off SET jit = off AS $function$
BEGIN
    RETURN QUERY EXECUTE (
        SELECT format('WITH x AS MATERIALIZED (
                SELECT n.oid AS schema, (v.value ->> 1)::name AS name, v.n
                FROM jsonb_array_elements($1) WITH ORDINALITY v (value, n) JOIN pg_namespace n ON n.nspname = v.value ->> 0)
            SELECT DISTINCT ON (f.class, f.name) f.name::text, concat_ws('' '', i.type, i.identity)
            FROM (%s) f (class, id, name, n) CROSS JOIN pg_identify_object(f.class, f.id, 0) i
            WHERE NOT EXISTS (SELECT FROM pg_type t JOIN pg_class c ON c.oid = t.typrelid
                              WHERE f.class = ''pg_type''::regclass AND t.oid = f.id AND c.relkind <> ''c'')
            ORDER BY f.class, f.name, f.n',
            string_agg(format('SELECT %L::regclass::oid, o.oid, x.name, x.n FROM x JOIN %1$s o ON (o.%2$I, o.%3$I) = (x.name, x.schema)
                WHERE NOT EXISTS (SELECT FROM %1$s o WHERE (o.%2$I, o.%3$I) = (x.name, ''pg_catalog''::regnamespace))',
                              k.fktable::regclass, a.attname, k.fkcols[1]), ' UNION ALL '))
        FROM pg_get_catalog_foreign_keys() k
        JOIN pg_attribute a ON a.attrelid = k.fktable AND a.atttypid = 'name'::regtype
        WHERE k.pktable = 'pg_namespace'::regclass AND EXISTS (
            SELECT FROM pg_attribute o WHERE o.attrelid = k.fktable AND o.attname = 'oid')
          AND k.fktable NOT IN ('pg_constraint'::regclass, 'pg_proc'::regclass, 'pg_operator'::regclass)) USING p_names;
END $function$;
