-- _cursor returns SQL fragments for the walk of a pass through its rows. In them, t is a row and $1
-- is p_batch.
-- names, texts: the columns of the cursor, and the same as text
-- columns: the columns of the cursor, named c1, c2, ...
-- column_texts: these named columns of a subquery x, as text
-- bounds: the condition that a row is after lo of the batch and not after its hi
-- rows: the FROM and WHERE clauses that return these rows
-- If the cursor ends with the place of a row, no index has its order. Then a subquery sorts the
-- positions, and each position is joined to its row. So conditions of the policy, which may raise
-- errors, are evaluated only for rows of the walk and in its order.
CREATE OR REPLACE FUNCTION retention._cursor(
    p_policy retention.policy, p_batch retention.batch_range, OUT names text, OUT texts text,
    OUT columns text, OUT column_texts text, OUT bounds text, OUT rows text)
LANGUAGE plpgsql AS $function$
DECLARE v_pass CONSTANT jsonb := p_policy.passes -> (p_batch.pass - 1);
BEGIN
    SELECT string_agg(c.expr, ', ' ORDER BY c.n),
           string_agg(c.expr || '::text', ', ' ORDER BY c.n),
           string_agg(format('%s AS c%s', c.expr, c.n), ', ' ORDER BY c.n),
           string_agg(format('x.c%s::text', c.n), ', ' ORDER BY c.n)
    INTO names, texts, columns, column_texts
    FROM (SELECT e.value ->> 0 AS expr, e.ordinality::integer AS n
          FROM jsonb_array_elements(v_pass -> 'cursor') WITH ORDINALITY e) c;
    bounds := CASE WHEN p_batch.lo IS NOT NULL THEN format(' AND (%s) > (%s)', names,
        retention._position(p_policy, p_batch.pass, p_batch.lo)) ELSE '' END
        || CASE WHEN p_batch.hi IS NOT NULL THEN format(' AND (%s) <= (%s)', names,
            retention._position(p_policy, p_batch.pass, p_batch.hi)) ELSE '' END;
    rows := format('%s CROSS JOIN LATERAL (SELECT (d.t).*, d.rel AS tableoid, d.tid AS ctid) t WHERE true',
        retention._rows_call(p_policy));
    rows := CASE WHEN v_pass ? 'placed' THEN format(
        'FROM (SELECT %s FROM %s t WHERE %s%s ORDER BY %s OFFSET 0) x CROSS JOIN LATERAL %s AND (%s) = (%s)',
        columns, retention._table(p_policy.table_name)::regclass, v_pass ->> 'bound', bounds, names, rows, names,
        replace(column_texts, '::text', '')) ELSE format('FROM %s%s', rows, bounds) END;
END $function$;
