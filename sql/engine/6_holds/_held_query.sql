-- _held_query returns SQL for the held rows among the rows t that p_select reads. The SQL has a
-- part for each list of columns that holds in force on p_holds have. It compares the values of the
-- holds with the columns of p_table. The result is NULL if there are no such holds. Call it only if
-- _invalid_hold() returns NULL.
-- p_former: include holds with such columns on partitioned tables, because the table may have been
--   a partition
CREATE OR REPLACE FUNCTION retention._held_query(
    p_select text, p_table oid, p_holds oid[], p_as_of timestamptz, p_former boolean DEFAULT false) RETURNS text
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $function$
    SELECT string_agg(format(
        '%s JOIN (SELECT %s FROM retention.hold h WHERE h.rel = %s AND h.columns = %L::text[] AND h.released_at IS NULL
                    AND (h.until IS NULL OR h.until > %L::timestamptz)%s) h ON %s',
        p_select, CASE WHEN t.printed IS NULL THEN t."values" ELSE 'h.*' END, g.rel, g.columns,
        retention._canonical(p_as_of), CASE WHEN t.printed IS NULL THEN ' OFFSET 0' END,
        coalesce(t.printed, t.equal)), ' UNION ALL ')
    FROM (SELECT DISTINCT h.rel, h.columns FROM retention._hold_kinds(p_as_of) h
          WHERE (h.rel = ANY (retention._hold_owners(p_holds))
              OR p_former AND h.types = (retention._held_columns(p_table, h.columns, h.match)).types
                 AND EXISTS (SELECT FROM pg_class c WHERE c.oid = h.rel AND c.relkind = 'p'))) g
    CROSS JOIN LATERAL retention._hold_terms(p_table, g.columns) t
$function$;
