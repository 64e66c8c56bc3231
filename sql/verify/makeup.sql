-- Findings on relations of the runtime on which something else acts (V016), which none of them has, or that are not as they
-- were installed (V017). $1: their names, whose places are those of the findings; $2: "type", "table" or "view"; $3: the
-- facts of a fresh install, as relation_facts has them, none for relations of policies; $4: those of today. Further
-- columns that need no value, and indexes that refuse nothing, are in nobody's way. Of a query there is but a hash.
WITH fact AS MATERIALIZED (
    SELECT w.live, f.n, f.relation, f.kind, coalesce(f.name, '') AS name, f.text,
           concat_ws(' ', f.kind, nullif(f.name, '')) || ': '
           || CASE WHEN f.kind = 'query' OR f.text = '' THEN 'another' ELSE f.text END AS shown
    FROM (VALUES (false, $3::jsonb), (true, $4::jsonb)) AS w (live, list)
    CROSS JOIN LATERAL ROWS FROM (jsonb_to_recordset(w.list) AS (relation text, kind text, name text, text text))
        WITH ORDINALITY AS f (relation, kind, name, text, n)
), relation AS (
    SELECT w.n, w.name, w.word, EXISTS (SELECT FROM fact f WHERE NOT f.live AND f.relation = w.name) AS known
    FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS w (name, word, n)
    WHERE EXISTS (SELECT FROM fact f WHERE f.live AND f.relation = w.name) -- else it is missing, which is said
), difference AS (
    SELECT r.n, f.live, f.shown, f.n AS place,
           f.kind IN ('trigger', 'rule', 'row security', 'reference', 'parent', 'child') AS acts
    FROM relation r JOIN fact f ON f.relation = r.name
    LEFT JOIN LATERAL (
        SELECT bool_or(o.text = f.text) AS same FROM fact o
        WHERE (o.live, o.relation, o.kind, o.name) = (NOT f.live, f.relation, f.kind, f.name)) o ON true
    WHERE o.same IS NOT TRUE AND (NOT f.live OR f.kind IN ('trigger', 'rule', 'row security', 'reference', 'parent', 'child')
          OR r.known AND (o.same IS NOT NULL OR CASE WHEN f.kind = 'column' AND r.word = 'table'
                          THEN f.text ~ ' NOT NULL' AND f.text !~ ' (DEFAULT|GENERATED)'
                          ELSE f.kind IN ('column', 'constraint', 'option', 'unique index') END))
)
SELECT r.n::integer AS place, CASE WHEN d.acts THEN 'V016' ELSE 'V017' END AS code,
       CASE WHEN d.acts THEN format('something else acts on %s "retention.%s"', r.word, r.name)
            ELSE format('%s "retention.%s" is not as it was installed', r.word, r.name) END AS message,
       coalesce(string_agg(d.shown, '; ' ORDER BY d.place) FILTER (WHERE NOT d.live), '') AS want,
       coalesce(string_agg(d.shown, '; ' ORDER BY d.place) FILTER (WHERE d.live), '') AS got,
       CASE WHEN d.acts THEN 'Statements of the runtime do something else there as well, or instead, or fail, or see a '
                             'part of the rows.' ELSE '' END AS detail,
       CASE WHEN d.acts THEN 'Drop it, or switch it off, as the owner of the table.'
            ELSE 'Run the statements of a view from the last migration again; change a table or type back by an ALTER of '
                 'what differs.' END AS hint
FROM relation r JOIN difference d USING (n) GROUP BY r.n, r.word, r.name, d.acts
ORDER BY 1, 2
