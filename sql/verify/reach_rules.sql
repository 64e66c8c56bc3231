-- Rules that are in force and do something. $1: oids of tables. One row per rule: its table's oid, its
-- name, its event, whether it takes the statement's place, and its definition.
SELECT r.ev_class, r.rulename::text,
       CASE r.ev_type WHEN '2' THEN 'UPDATE' WHEN '3' THEN 'INSERT' ELSE 'DELETE' END,
       r.is_instead, coalesce(regexp_replace(rtrim(pg_get_ruledef(r.oid), ';'), '\s+', ' ', 'g'), '')
FROM pg_rewrite r
WHERE r.ev_class = ANY ($1::oid[]) AND r.ev_type IN ('2', '3', '4') AND r.ev_enabled IN ('O', 'A')
  AND (r.is_instead OR pg_get_ruledef(r.oid) !~ '\mDO\s+NOTHING;$')
ORDER BY r.ev_class, r.rulename
