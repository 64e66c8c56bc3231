-- Parameter: $1 plan (JSON) of a query that reads the content of an index. Returns the estimated
-- size of that index in bytes. A tuple has the key, padded to 8 bytes, a header of 8 bytes and a
-- line pointer of 4 bytes. Pages are 90 % full.
SELECT greatest(2 * 8192, x.rows * (12 + 8 * ceil(x.width / 8.0)) / 0.9)::bigint
FROM (SELECT ($1::jsonb #>> '{0,Plan,Plan Rows}')::numeric AS rows,
             ($1::jsonb #>> '{0,Plan,Plan Width}')::numeric AS width) x;
