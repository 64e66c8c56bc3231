-- as owner
-- The rows that policy items_cap would take at an instant, for people:
--   SELECT * FROM retention.items_cap_due(now());
-- Runs with its caller's rights and search_path; PostgreSQL can inline it.
CREATE OR REPLACE FUNCTION retention.items_cap_due(p_as_of timestamptz)
RETURNS SETOF "app"."note"
LANGUAGE sql STABLE
AS $function$
    SELECT t.*
    FROM "app"."note" t
    LEFT JOIN "app"."owner" "o" ON (o.id = t.owner_id)
    WHERE (o.enabled)
      AND (t.tableoid, t.ctid) IN (
              SELECT r.rel, r.tid
              FROM (SELECT t.tableoid AS rel, t.ctid AS tid,
                           row_number() OVER (
                               PARTITION BY t.owner_id
                               ORDER BY t.made_at DESC, t."id" DESC) AS place,
                           CASE
                               WHEN v_count.value IS NULL THEN 3
                               WHEN v_count.value IN (0) THEN NULL
                               WHEN v_count.value <= 0 THEN NULL
                               ELSE least(50, v_count.value)
                           END AS first
                    FROM "app"."note" t CROSS JOIN LATERAL (SELECT (SELECT "o"."days" FROM "app"."owner" "o" WHERE o.id = t.owner_id) AS value) v_count
                    WHERE (SELECT "o"."enabled" FROM "app"."owner" "o" WHERE o.id = t.owner_id)) r
              WHERE r.place > r.first)
      AND NOT EXISTS (SELECT FROM retention.hold h
                      WHERE h.table_name = 'app.note' AND h.by_column IS NULL
                        AND h.released_at IS NULL AND (h.until IS NULL OR h.until > p_as_of)
                        AND h.key = ARRAY[t."id"::text])
      AND NOT ((SELECT retention._owner_holds('app.note', p_as_of))
               AND retention._held_by_owner('app.note', to_jsonb(t.*), p_as_of))
$function$;
REVOKE ALL ON FUNCTION retention.items_cap_due(timestamp with time zone) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION retention.items_cap_due(timestamp with time zone)
    TO retention_operator, retention_viewer;
COMMENT ON FUNCTION retention.items_cap_due(timestamp with time zone)
    IS 'pgretain: the rows that policy items_cap would take at an instant';

-- to drop it
DROP FUNCTION IF EXISTS retention.items_cap_due(timestamp with time zone);
