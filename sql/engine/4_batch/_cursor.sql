-- _cursor returns SQL fragments for the walk of a pass through its rows. In them, t is a row and $1
-- is p_batch.
-- names, texts: the columns of the cursor, and the same as text
-- columns: the columns of the cursor, named c1, c2, ...
-- column_texts: these named columns of a subquery x, as text
-- bounds: the condition that a row is after lo of the batch and not after its hi
-- rows: the FROM and WHERE clauses that return these rows
CREATE OR REPLACE FUNCTION retention._cursor(
    p_policy retention.policy, p_batch retention.batch_range, OUT names text, OUT texts text,
    OUT columns text, OUT column_texts text, OUT bounds text, OUT rows text)
LANGUAGE plpgsql AS $function$
BEGIN
    SELECT string_agg(c.expr, ', ' ORDER BY c.n),
           string_agg(c.expr || '::text', ', ' ORDER BY c.n),
           string_agg(format('%s AS c%s', c.expr, c.n), ', ' ORDER BY c.n),
           string_agg(format('x.c%s::text', c.n), ', ' ORDER BY c.n)
    INTO names, texts, columns, column_texts
    FROM (SELECT e.value ->> 0 AS expr, e.ordinality::integer AS n
          FROM jsonb_array_elements(p_policy.passes -> (p_batch.pass - 1) -> 'cursor') WITH ORDINALITY e) c;
    bounds := CASE WHEN p_batch.lo IS NOT NULL THEN format(' AND (%s) > (%s)', names,
        retention._position(p_policy, p_batch.pass, p_batch.lo)) ELSE '' END
        || CASE WHEN p_batch.hi IS NOT NULL THEN format(' AND (%s) <= (%s)', names,
            retention._position(p_policy, p_batch.pass, p_batch.hi)) ELSE '' END;
    rows := format('FROM %s CROSS JOIN LATERAL (SELECT (d.t).*) t WHERE true%s', retention._rows_call(p_policy),
        bounds);
END $function$;
