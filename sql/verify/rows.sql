-- Returns the rows of the registry that are missing, or that have other values than the migration
-- writes.
-- $1: the expected rows, an array of objects with keys kind, name and row (an object that maps
--   columns to values)
-- Columns of the result:
-- - n: the position of the row in $1
-- - columns: the columns that differ; '' if the row is missing
-- - want, got: the expected and the present values of these columns
WITH wanted AS (
    SELECT w.place::integer AS n, w.value ->> 'kind' AS kind, w.value ->> 'name' AS name, w.value -> 'row' AS given
    FROM jsonb_array_elements($1) WITH ORDINALITY AS w (value, place)
), typed AS MATERIALIZED ( -- values converted to the types of the columns
    SELECT w.*, CASE w.kind WHEN 'install' THEN to_jsonb(jsonb_populate_record(NULL::retention.install, w.given))
                            WHEN 'policy' THEN to_jsonb(jsonb_populate_record(NULL::retention.policy, w.given))
                            WHEN 'each' THEN to_jsonb(jsonb_populate_record(NULL::retention.each, w.given))
                            WHEN 'job' THEN to_jsonb(jsonb_populate_record(NULL::retention.job, w.given)) END AS row
    FROM wanted w
)
SELECT t.n, coalesce(string_agg(d.name, ', ' ORDER BY d.name), '') AS columns,
       coalesce(string_agg(d.name || ' = ' || coalesce(d.want, 'NULL'), '; ' ORDER BY d.name), '') AS want,
       coalesce(string_agg(d.name || ' = ' || coalesce(d.got, 'NULL'), '; ' ORDER BY d.name), '') AS got
FROM typed t
LEFT JOIN LATERAL (
    SELECT to_jsonb(i) FROM retention.install i WHERE t.kind = 'install'
    UNION ALL SELECT to_jsonb(p) FROM retention.policy p WHERE t.kind = 'policy' AND p.name = t.name
    UNION ALL SELECT to_jsonb(e) FROM retention.each e WHERE t.kind = 'each' AND e.name = t.name
    UNION ALL SELECT to_jsonb(j) FROM retention.job j WHERE t.kind = 'job' AND j.name = t.name) l (row) ON true
LEFT JOIN LATERAL (
    SELECT k.name, t.row ->> k.name AS want, l.row ->> k.name AS got
    FROM jsonb_object_keys(t.given) AS k (name)
    WHERE t.row -> k.name IS DISTINCT FROM l.row -> k.name) d ON l.row IS NOT NULL
WHERE l.row IS NULL OR d.name IS NOT NULL
GROUP BY t.n, t.kind, t.name, l.row
ORDER BY 1
