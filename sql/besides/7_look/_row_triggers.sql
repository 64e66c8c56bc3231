-- The application's row triggers that fire when rows of a table are written: 'DELETE', 'UPDATE' or 'INSERT'; those
-- that fire before the row is, which may keep it, or those after. Also rules. NULL for none.
CREATE OR REPLACE FUNCTION retention._row_triggers(p_table oid, p_event text, p_before boolean) RETURNS text
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $function$
    SELECT string_agg(DISTINCT quote_ident(x.name), ', ') FROM (SELECT t.tgname AS name FROM pg_trigger t
          WHERE (t.tgrelid = p_table OR t.tgrelid IN (SELECT r.relid FROM pg_partition_tree(p_table) r))
            AND NOT t.tgisinternal AND t.tgenabled IN ('O', 'A') AND t.tgtype & 1 = 1
            AND t.tgtype & CASE p_event WHEN 'DELETE' THEN 8 WHEN 'UPDATE' THEN 16 ELSE 4 END <> 0
            AND (t.tgtype & 2 <> 0) = p_before
          UNION ALL SELECT r.rulename FROM pg_rewrite r
          WHERE p_before AND r.ev_class = p_table AND r.ev_enabled IN ('O', 'A')
            AND r.ev_type = CASE p_event WHEN 'DELETE' THEN '4' WHEN 'UPDATE' THEN '2' ELSE '3' END) x
$function$;
