-- _row_triggers returns the names of the application's row triggers and rules that act when a row
-- of a table is written.
-- p_event: 'DELETE', 'UPDATE' or 'INSERT'
-- before: BEFORE triggers, which may prevent the change, and rules, or NULL
-- after: the other triggers, or NULL
CREATE OR REPLACE FUNCTION retention._row_triggers(p_table oid, p_event text, OUT before text, OUT after text)
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $function$
    SELECT string_agg(DISTINCT quote_ident(x.name), ', ') FILTER (WHERE x.before),
           string_agg(DISTINCT quote_ident(x.name), ', ') FILTER (WHERE NOT x.before)
    FROM (SELECT t.tgname AS name, t.tgtype & 2 <> 0 AS before FROM pg_trigger t
          WHERE t.tgrelid IN (SELECT retention._descendants(ARRAY[p_table]))
            AND NOT t.tgisinternal AND t.tgenabled IN ('O', 'A') AND t.tgtype & 1 = 1
            AND t.tgtype & CASE p_event WHEN 'DELETE' THEN 8 WHEN 'UPDATE' THEN 16 WHEN 'INSERT' THEN 4 ELSE 0 END <> 0
          UNION ALL SELECT r.rulename, true FROM pg_rewrite r
          WHERE r.ev_class = p_table AND r.ev_enabled IN ('O', 'A')
            AND r.ev_type = CASE p_event WHEN 'DELETE' THEN '4' WHEN 'UPDATE' THEN '2' WHEN 'INSERT' THEN '3' END) x
$function$;
