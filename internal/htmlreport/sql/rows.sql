-- Rows by table in the runs of $1 days: those that policies took, those that went or changed through foreign keys, and
-- those that other steps wrote, changed or took.
WITH run AS MATERIALIZED (
    SELECT r.table_name, r.taken, r.cascaded, r.related FROM retention.run r
    WHERE r.ended_at >= now()::date - $1::integer + 1 AND r.started_at >= now()::date - $1::integer + 1 AND NOT r.dry_run
      AND r.table_name <> '' AND (r.taken > 0 OR r.cascaded <> '{}' OR r.related <> '{}')
)
SELECT x.name, sum(x.taken)::bigint, sum(x.cascaded)::bigint, sum(x.related)::bigint
FROM (SELECT r.table_name AS name, r.taken, 0 AS cascaded, 0 AS related FROM run r
      UNION ALL SELECT e.key, 0, e.value::bigint, 0 FROM run r, jsonb_each_text(r.cascaded) e
      UNION ALL SELECT e.key, 0, 0, e.value::bigint FROM run r, jsonb_each_text(r.related) e) x
GROUP BY 1
ORDER BY 2 DESC, 3 DESC, 4 DESC, 1
