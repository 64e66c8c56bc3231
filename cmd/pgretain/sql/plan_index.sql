-- $1: what the planner says of a query that reads what an index would hold. The size of the index, in bytes: a tuple is
-- its key, padded to 8 bytes, with a header of 8 and a line pointer of 4; pages are filled to nine tenths.
SELECT greatest(2 * 8192, x.rows * (12 + 8 * ceil(x.width / 8.0)) / 0.9)::bigint
FROM (SELECT ($1::jsonb #>> '{0,Plan,Plan Rows}')::numeric AS rows, ($1::jsonb #>> '{0,Plan,Plan Width}')::numeric AS width) x;
