-- Returns for each placeholder the schema that a snapshot reads as an example. Among the schemas
-- that match the pattern, it is the one that has most of the tables, or the first by name. Schemas
-- whose names need quotes are left out, because the bare name replaces the placeholder.
-- $1 jsonb: placeholders with patterns, as {"each_tenant": "tenant_*"}
-- $2 text[]: tables, as "each_tenant.message"
SELECT e.key, s.nspname::text
  FROM jsonb_each_text($1) AS e
 CROSS JOIN LATERAL (
       SELECT n.nspname FROM pg_namespace AS n
        WHERE n.nspname LIKE replace(replace(e.value, '_', '!_'), '*', '%') ESCAPE '!'
            AND n.nspname = quote_ident(n.nspname)
        ORDER BY (SELECT count(*) FROM pg_class AS c
                   WHERE c.relnamespace = n.oid AND e.key || '.' || c.relname = ANY ($2::text[])) DESC, n.nspname
        LIMIT 1) AS s;
