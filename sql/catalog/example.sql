-- For words that stand for many schemas, the one that a snapshot shows in their place: that with
-- most of the tables, the first of several. Schemas whose names need quotes are none: a page has
-- the name in the word's place. $1 jsonb: words with patterns, as {"each_tenant": "tenant_*"}. $2
-- text[]: names of tables, "each_tenant.message".
SELECT e.key, s.nspname::text
  FROM jsonb_each_text($1) AS e
 CROSS JOIN LATERAL (
       SELECT n.nspname FROM pg_namespace AS n
        WHERE n.nspname LIKE replace(replace(e.value, '_', '!_'), '*', '%') ESCAPE '!'
            AND n.nspname = quote_ident(n.nspname)
        ORDER BY (SELECT count(*) FROM pg_class AS c
                   WHERE c.relnamespace = n.oid AND e.key || '.' || c.relname = ANY ($2::text[])) DESC, n.nspname
        LIMIT 1) AS s;
