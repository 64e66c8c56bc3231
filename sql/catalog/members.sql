-- Returns the schemas that can be instances of a policy: they match the pattern, have the table,
-- and their names need no quotes. The second column has what to replace in the policy's script: the
-- placeholder and the schema.
-- $1: the pattern, in which * stands for any text
-- $2: the table
-- $3: the policy
-- $4: the placeholder
SELECT n.nspname::text, jsonb_build_array(jsonb_build_array($4::text, n.nspname))
  FROM pg_namespace AS n JOIN pg_class AS c ON c.relnamespace = n.oid AND c.relname = $2::text
 WHERE n.nspname LIKE replace(replace($1::text, '_', '!_'), '*', '%') ESCAPE '!'
   AND n.nspname = quote_ident(n.nspname) AND octet_length(concat($3::text, '@', n.nspname)) <= 54
 ORDER BY 1;
