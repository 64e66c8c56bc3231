-- as owner
-- The rows that policy by_rank would take at an instant, for people:
--   SELECT * FROM retention.by_rank_due(now());
-- Runs with its caller's rights and search_path; PostgreSQL can inline it.
CREATE OR REPLACE FUNCTION retention.by_rank_due(p_as_of timestamptz)
RETURNS SETOF "app"."served"
LANGUAGE sql STABLE
AS $function$
    SELECT t.*
    FROM "app"."served" t
    WHERE (t.tableoid, t.ctid) IN (
              SELECT r.rel, r.tid
              FROM (SELECT t.tableoid AS rel, t.ctid AS tid,
                           row_number() OVER (
                               PARTITION BY t.owner_id
                               ORDER BY t.at DESC, t.id DESC) AS place
                    FROM "app"."served" t
                    WHERE true) r
              WHERE r.place > 3)
      AND NOT EXISTS (SELECT FROM retention.hold h
                      WHERE h.table_name = 'app.served' AND h.by_column IS NULL
                        AND h.released_at IS NULL AND (h.until IS NULL OR h.until > p_as_of)
                        AND h.key = ARRAY[t."id"::text])
      AND NOT ((SELECT retention._owner_holds('app.served', p_as_of))
               AND retention._held_by_owner('app.served', to_jsonb(t.*), p_as_of))
$function$;
REVOKE ALL ON FUNCTION retention.by_rank_due(timestamp with time zone) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION retention.by_rank_due(timestamp with time zone)
    TO retention_operator, retention_viewer;
COMMENT ON FUNCTION retention.by_rank_due(timestamp with time zone)
    IS 'pgretain: the rows that policy by_rank would take at an instant';

-- to drop it
DROP FUNCTION IF EXISTS retention.by_rank_due(timestamp with time zone);
