-- Returns the schemas that can be instances of a policy: they match the pattern, have the table,
-- and their names need no quotes. The second column is the schema of the instance's tables. The
-- third is NULL, because the tables keep their names.
-- $1: the pattern, in which * stands for any text
-- $2: the table
-- $3: the policy
SELECT n.nspname::text, n.nspname::text, NULL::jsonb
  FROM pg_namespace AS n JOIN pg_class AS c ON c.relnamespace = n.oid AND c.relname = $2::text
 WHERE n.nspname LIKE replace(replace($1::text, '_', '!_'), '*', '%') ESCAPE '!'
   AND n.nspname = quote_ident(n.nspname) AND octet_length(concat($3::text, '@', n.nspname)) <= 54
 ORDER BY 1;
