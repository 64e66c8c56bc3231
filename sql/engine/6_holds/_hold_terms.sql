-- _hold_terms returns SQL that compares holds by some columns with rows of a table.
-- values: the select list that reads the values of a hold h as c1, c2, ... with the types of the
--   columns. NULL if a column is missing.
-- equal: the condition that a row t has these values
-- printed: the same condition on texts, which an index on holds supports. NULL if equal values can
--   have different texts.
-- The same arguments give the same text, because a batch compares it with the text of its start.
CREATE OR REPLACE FUNCTION retention._hold_terms(
    p_rel oid, p_columns text[], OUT "values" text, OUT equal text, OUT printed text)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $function$
BEGIN
    SELECT CASE WHEN count(*) = cardinality(p_columns) AND bool_and(a.equality IS NOT NULL)
           THEN string_agg(format('(h.match ->> %L)::%s AS c%s', u.name, format_type(a.atttypid, -1), u.n), ', '
               ORDER BY u.n) END,
           string_agg(format('t.%I %s h.c%s', u.name, a.equality, u.n), ' AND ' ORDER BY u.n),
           CASE WHEN count(*) = cardinality(p_columns) AND bool_and(a.alike)
           THEN string_agg(format('h.match ->> h.columns[%s] = t.%I::text', u.n, u.name), ' AND ' ORDER BY u.n) END
    INTO "values", equal, printed FROM unnest(p_columns) WITH ORDINALITY u (name, n)
    JOIN (SELECT x.attname, x.atttypid, retention._equality_operator(x.atttypid) AS equality,
              x.atttypid = ANY ('{int2,int4,int8,uuid,text,varchar}'::regtype[])
                  AND NOT EXISTS (SELECT FROM pg_collation l WHERE l.oid = x.attcollation
                      AND NOT l.collisdeterministic) AS alike
          FROM pg_attribute x
          WHERE x.attrelid = p_rel AND x.attname = ANY (p_columns) AND x.attnum > 0 AND NOT x.attisdropped OFFSET 0) a
              ON a.attname = u.name;
END $function$;
