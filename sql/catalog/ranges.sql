-- Returns what ANALYZE found in columns of numbers and times, and of domains over these types, in
-- tables that the role may read. There is one row for each column.
-- $1 text[]: the tables, as schema.table
-- $2 jsonb: the rows of retention._clock_readings
-- Columns of the result:
-- - schema.name
-- - the column
-- - the share of NULLs
-- - the least, the middle and the greatest value in the statistics, as text. Half of the rows are
--   on each side of the middle.
-- - reading: how the numbers of the column count time, '' if no reading fits
-- A reading fits if it makes the greatest value, or else the middle one, a plausible timestamp.
-- Runs have the same rule. If several readings fit, the query returns the one whose timestamp is
-- nearest to now.
WITH RECURSIVE reading AS (
    SELECT r.* FROM jsonb_to_recordset($2::jsonb) AS r (label text, unit numeric, start numeric, ordinary boolean)
), types AS (
    SELECT t.oid, t.oid AS base FROM pg_type AS t
     WHERE t.oid = ANY (ARRAY['date'::regtype, 'timestamp', 'timestamptz', 'int4', 'int8', 'numeric', 'float8'])
    UNION ALL
    SELECT d.oid, types.base FROM types JOIN pg_type AS d ON d.typbasetype = types.oid AND d.typtype = 'd'
), found AS (
    SELECT DISTINCT ON (c.oid, a.attnum)
           n.nspname || '.' || c.relname AS name, a.attname::text AS column,
           types.base = ANY (ARRAY['date'::regtype, 'timestamp', 'timestamptz']) AS is_time,
           s.null_frac::float8 AS nulls, s.most_common_vals::text::text[] AS common, s.most_common_freqs AS shares,
           s.histogram_bounds::text::text[] AS bounds,
           1 - s.null_frac - coalesce((SELECT sum(f) FROM unnest(s.most_common_freqs) AS f), 0) AS others
      FROM pg_class AS c
      JOIN pg_namespace AS n ON n.oid = c.relnamespace
      JOIN pg_attribute AS a ON a.attrelid = c.oid
      JOIN types ON types.oid = a.atttypid
      JOIN pg_stats AS s ON s.schemaname = n.nspname AND s.tablename = c.relname AND s.attname = a.attname
     WHERE n.nspname || '.' || c.relname = ANY ($1::text[])
     ORDER BY c.oid, a.attnum, s.inherited DESC
)
SELECT found.name, found.column, found.nulls, range.least, range.middle, range.greatest, coalesce(unit.label, '')
  FROM found
 CROSS JOIN LATERAL (
    -- Times sorted as text are in the order of time, except for years BC and after 9999.
    SELECT coalesce((array_agg(v.value ORDER BY v.place))[1], '') AS least,
           coalesce((array_agg(v.value ORDER BY v.place) FILTER (WHERE v.weight >= v.half))[1], '') AS middle,
           coalesce((array_agg(v.value ORDER BY v.place DESC))[1], '') AS greatest
      FROM (SELECT each.value, row_number() OVER sorted AS place,
                   sum(each.share) OVER sorted AS weight, sum(each.share) OVER () / 2 AS half
              FROM (SELECT * FROM unnest(found.common, found.shares) AS common (value, share)
                    UNION ALL
                    SELECT bound.value, found.others / cardinality(found.bounds)
                        FROM unnest(found.bounds) AS bound (value)
                   ) AS each
            WINDOW sorted AS (ORDER BY CASE WHEN NOT found.is_time THEN each.value::float8 END,
                                       each.value COLLATE "C")
           ) AS v
 ) AS range
  LEFT JOIN LATERAL (
    SELECT r.label
      FROM (VALUES (range.greatest, 1), (range.middle, 2)) AS v (value, place)
     CROSS JOIN reading AS r
     CROSS JOIN LATERAL (SELECT r.start + v.value::numeric * r.unit AS at) AS i
     CROSS JOIN LATERAL (SELECT extract(epoch FROM now()) * 1000 AS now, 31557600000 AS year) AS t
     WHERE NOT found.is_time AND v.value <> '' AND i.at <= t.now + 10 * t.year
       AND i.at >= CASE WHEN r.ordinary THEN 631152000000 ELSE t.now - t.year END  -- 1990
     ORDER BY v.place, abs(i.at - t.now)
     LIMIT 1
 ) AS unit ON NOT found.is_time;
