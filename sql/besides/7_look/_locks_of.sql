-- Which locks a step takes on a table and its rows for what it does, besides those that reading takes.
CREATE OR REPLACE FUNCTION retention._locks_of(p_verb text, p_table oid) RETURNS text
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $function$
    SELECT CASE
        WHEN p_verb IN ('delete', 'cascade') THEN 'ROW EXCLUSIVE; rows FOR UPDATE'
        WHEN p_verb IN ('detach', 'drop') THEN 'ACCESS EXCLUSIVE, also on the table above and its DEFAULT partition'
        WHEN p_verb = 'drop table' THEN 'ACCESS EXCLUSIVE'
        WHEN p_verb = 'sql' THEN 'those of the statement'
        WHEN p_verb NOT IN ('blocked', 'refused') THEN concat(
            'ROW EXCLUSIVE', CASE WHEN p_verb NOT IN ('insert', 'archive') THEN '; rows FOR NO KEY UPDATE' END,
            -- A row that comes, or changes its keys, holds on to the rows that it refers to.
            (SELECT '; rows of ' || string_agg(DISTINCT retention._table_name(k.confrelid), ', ') || ' FOR KEY SHARE'
             FROM pg_constraint k
             WHERE k.conrelid = p_table AND k.contype = 'f' AND p_verb IN ('insert', 'archive', 'set default'))) END
$function$;
