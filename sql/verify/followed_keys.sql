-- Foreign keys through which a delete or an update changes other tables (CASCADE, SET NULL, SET DEFAULT): the table
-- that is referred to, the one that refers, the key's name, what happens on delete and on update (confdeltype,
-- confupdtype), the columns that refer, those they refer to, and those that a delete sets. Before PostgreSQL 18 no key
-- has "conenforced", and the name means the other one.
SELECT k.confrelid, k.conrelid, k.conname, k.confdeltype::text, k.confupdtype::text,
       ARRAY(SELECT a.attname::text FROM unnest(k.conkey) WITH ORDINALITY u (n, i)
             JOIN pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = u.n ORDER BY u.i),
       ARRAY(SELECT a.attname::text FROM unnest(k.confkey) WITH ORDINALITY u (n, i)
             JOIN pg_attribute a ON a.attrelid = k.confrelid AND a.attnum = u.n ORDER BY u.i),
       ARRAY(SELECT a.attname::text FROM pg_attribute a
             WHERE a.attrelid = k.conrelid AND a.attnum = ANY (coalesce(k.confdelsetcols, k.conkey)))
FROM (SELECT true AS conenforced) AS before_18
CROSS JOIN LATERAL (SELECT c.confrelid, c.conrelid, c.confdeltype, c.confupdtype, c.conkey, c.confkey, c.confdelsetcols,
                           c.conname::text, conenforced AS enforced
                    FROM pg_constraint c
                    WHERE c.contype = 'f' AND (c.confdeltype IN ('c', 'n', 'd') OR c.confupdtype IN ('c', 'n', 'd'))) k
WHERE k.enforced
