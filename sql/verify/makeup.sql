-- Findings on relations of the runtime. V016: a trigger, rule, policy of row security, foreign key
-- or inheritance that pgretain did not create affects the relation. V017: the relation differs from
-- a fresh install.
-- $1: names of relations. Column place is the position in this array.
-- $2: the kind of each relation: "type", "table" or "view"
-- $3: the facts of a fresh install, as query relation_facts returns them. Relations that belong to
--   policies have none.
-- $4: the present facts, as query relation_facts returns them
-- A table may have additional columns that need no value, and additional indexes that are not
-- unique. The queries of views are compared by a hash.
WITH fact AS MATERIALIZED (
    SELECT w.live, f.n, f.relation, f.kind, coalesce(f.name, '') AS name, f.text,
        concat_ws(' ', f.kind, nullif(f.name, ''))
           || CASE WHEN f.kind = 'query' OR f.text = '' THEN ': another' ELSE ': ' || f.text END AS shown
    FROM (VALUES (false, $3::jsonb), (true, $4::jsonb)) AS w (live, list)
    CROSS JOIN LATERAL ROWS FROM (jsonb_to_recordset(w.list) AS (relation text, kind text, name text, text text))
        WITH ORDINALITY AS f (relation, kind, name, text, n)
), relation AS (
    SELECT r.n::integer AS n, r.name AS relation, r.word,
        EXISTS (SELECT FROM fact f WHERE f.relation = r.name AND NOT f.live) AS known
    FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS r (name, word, n)
    WHERE EXISTS (SELECT FROM fact f WHERE f.relation = r.name AND f.live) -- a missing relation has another finding
), difference AS (
    SELECT r.*, x.acts, w.shown AS want, w.n AS want_n, l.shown AS got, l.n AS got_n
    FROM (SELECT * FROM fact f WHERE NOT f.live) w FULL JOIN (SELECT * FROM fact f WHERE f.live) l
        USING (relation, kind, name)
    JOIN relation r USING (relation)
    CROSS JOIN LATERAL (SELECT kind IN ('trigger', 'rule', 'row security', 'reference', 'parent', 'child')) x (acts)
    WHERE w.text IS DISTINCT FROM l.text
      AND (x.acts OR w.text IS NOT NULL OR r.known AND CASE
           WHEN kind = 'column' AND r.word = 'table' THEN l.text ~ ' NOT NULL' AND l.text !~ ' (DEFAULT|GENERATED)'
           ELSE kind IN ('column', 'constraint', 'option', 'unique index') END)
)
SELECT d.n AS place, CASE WHEN d.acts THEN 'V016' ELSE 'V017' END AS code,
       CASE WHEN d.acts THEN format('something else acts on %s "retention.%s"', d.word, d.relation)
            ELSE format('%s "retention.%s" is not as it was installed', d.word, d.relation) END AS message,
       coalesce(string_agg(d.want, '; ' ORDER BY d.want_n), '') AS want,
       coalesce(string_agg(d.got, '; ' ORDER BY d.got_n), '') AS got,
       CASE WHEN d.acts THEN 'Statements of the runtime do something else there as well, or instead, or fail, or see a '
                             'part of the rows.' ELSE '' END AS detail,
       CASE WHEN d.acts THEN 'Drop it, or switch it off, as the owner of the table.'
            ELSE 'Run the statements of a view from the last migration again; change a table or type back by an ALTER of '
                 'what differs.' END AS hint
FROM difference d GROUP BY d.n, d.word, d.relation, d.acts
ORDER BY 1, 2
