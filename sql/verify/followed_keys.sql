-- Foreign keys through which a delete changes other tables (CASCADE, SET NULL, SET DEFAULT): the table
-- that is referred to, the one that refers, whether its rows go too, and the key's name. Before PostgreSQL
-- 18 no key has "conenforced", and the name means the other one.
SELECT k.confrelid, k.conrelid, k.confdeltype = 'c', k.conname
FROM (SELECT true AS conenforced) AS before_18
CROSS JOIN LATERAL (SELECT c.confrelid, c.conrelid, c.confdeltype, c.conname::text, conenforced AS enforced
                    FROM pg_constraint c
                    WHERE c.contype = 'f' AND c.confdeltype IN ('c', 'n', 'd')) k
WHERE k.enforced
