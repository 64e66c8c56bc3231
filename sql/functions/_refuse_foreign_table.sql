-- Raises 42501 for what is no table of a role whose word counts already: one that owns a table of a
-- policy, the runtime's own, a superuser. Reading a key runs the checks and casts of the table's types
-- with our rights, and a view runs what its owner wrote: whoever may place holds could become us by a
-- table made for that.
CREATE OR REPLACE FUNCTION retention._refuse_foreign_table(p_table oid) RETURNS void
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    v_table record;
BEGIN
    SELECT c.relkind, r.oid, r.rolname, r.rolsuper INTO v_table
    FROM pg_class c JOIN pg_roles r ON r.oid = c.relowner WHERE c.oid = p_table;
    IF v_table.relkind NOT IN ('r', 'p') THEN
        RAISE wrong_object_type USING MESSAGE = format('%s is no table', p_table::regclass);
    ELSIF NOT v_table.rolsuper AND NOT EXISTS (
        SELECT FROM retention.policy p
        CROSS JOIN LATERAL unnest(p.table_name || p.related || p.changes || p.reach) x (name)
        JOIN pg_namespace n ON starts_with(x.name, n.nspname || '.')
        JOIN pg_class c ON c.relnamespace = n.oid AND n.nspname || '.' || c.relname = x.name
        WHERE c.relowner = v_table.oid) THEN
        RAISE insufficient_privilege USING
            MESSAGE = format('table "%s" belongs to role "%s", who owns no table of a policy',
                             retention._table_name(p_table), v_table.rolname),
            HINT = 'Only rows of the tables of such roles can be held.';
    END IF;
END
$function$;
REVOKE ALL ON FUNCTION retention._refuse_foreign_table(oid) FROM PUBLIC;
