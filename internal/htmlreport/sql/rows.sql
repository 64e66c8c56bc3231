-- Rows by table in the runs of $1 days, besides those that policies took: those that went or changed through foreign
-- keys, and those that other steps wrote, changed or took.
SELECT x.name, sum(x.cascaded)::bigint, sum(x.related)::bigint
FROM (SELECT e.key AS name, e.value::bigint AS cascaded, 0 AS related
      FROM retention.run r CROSS JOIN LATERAL jsonb_each_text(r.cascaded) e
      WHERE r.ended_at >= now()::date - $1::integer + 1 AND r.started_at >= now()::date - $1::integer + 1
        AND NOT r.dry_run AND r.cascaded <> '{}'
      UNION ALL
      SELECT e.key, 0, e.value::bigint
      FROM retention.run r CROSS JOIN LATERAL jsonb_each_text(r.related) e
      WHERE r.ended_at >= now()::date - $1::integer + 1 AND r.started_at >= now()::date - $1::integer + 1
        AND NOT r.dry_run AND r.related <> '{}') x
GROUP BY 1
ORDER BY 1
