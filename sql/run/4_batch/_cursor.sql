-- How a pass walks through its rows, as SQL: the columns of its cursor on the row t, in both directions and as text,
-- and the rows that are left behind the slice's lo, with that condition. The slice is $1.
CREATE OR REPLACE FUNCTION retention._cursor(
    p_policy retention.policy, p_slice retention.slice, OUT names text, OUT backward text, OUT texts text,
    OUT columns text, OUT column_texts text, OUT after text, OUT rows text)
LANGUAGE plpgsql AS $function$
BEGIN
    SELECT string_agg(c.expr, ', ' ORDER BY c.n), string_agg(c.expr || ' DESC', ', ' ORDER BY c.n),
           string_agg(c.expr || '::text', ', ' ORDER BY c.n),
           string_agg(format('%s AS c%s', c.expr, c.n), ', ' ORDER BY c.n),
           string_agg(format('x.c%s::text', c.n), ', ' ORDER BY c.n)
    INTO names, backward, texts, columns, column_texts
    FROM (SELECT e.value ->> 0 AS expr, e.ordinality::integer AS n
          FROM jsonb_array_elements(p_policy.passes -> (p_slice.pass - 1) -> 'cursor') WITH ORDINALITY e) c;
    after := CASE WHEN p_slice.lo IS NOT NULL THEN format(' AND (%s) > (%s)', names,
        retention._position(p_policy, p_slice.pass, p_slice.lo)) ELSE '' END;
    rows := format('FROM retention.%I($1) d CROSS JOIN LATERAL (SELECT (d.t).*) t WHERE true%s',
        p_policy.name || '_rows', after);
END $function$;
