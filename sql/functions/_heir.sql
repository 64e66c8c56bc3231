-- A table that inherits from one whose rows steps of a policy delete or change: in a sentence, NULL for none.
-- Statements go into it as well, where keys are not unique, and rows are none of the policy's.
CREATE OR REPLACE FUNCTION retention._heir(p_policy text) RETURNS text
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $function$
BEGIN
    RETURN (
        SELECT format('table "%s" inherits from "%s", so that steps go into it as well: take it out of there (NO INHERIT), '
                      'and give it a policy of its own', retention._table_name(i.inhrelid), x.name)
        FROM retention.policy p
        CROSS JOIN LATERAL unnest(p.related || CASE WHEN p.table_name = ANY (p.changes) THEN ARRAY[p.table_name] END) x (name)
        JOIN pg_class c ON c.oid = retention._table(x.name) AND c.relkind = 'r'
        JOIN pg_inherits i ON i.inhparent = c.oid
        WHERE p.name = p_policy
        ORDER BY retention._table_name(i.inhrelid) LIMIT 1);
END
$function$;
