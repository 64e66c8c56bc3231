-- as owner
-- The rows that policy items would take at an instant, for people:
--   SELECT * FROM retention.items_due(now());
-- Runs with its caller's rights and search_path; PostgreSQL can inline it.
CREATE OR REPLACE FUNCTION retention.items_due(p_as_of timestamptz)
RETURNS SETOF "app"."item"
LANGUAGE sql STABLE
AS $function$
    SELECT t.*
    FROM "app"."item" t
    WHERE t."at" < retention._cutoff(p_as_of, 0, 90, '00:00:00', 'UTC')
      AND (NOT EXISTS (SELECT FROM app.loan l WHERE l.note_id = t.id))
      AND NOT EXISTS (SELECT FROM retention.hold h
                      WHERE h.table_name = 'app.item' AND h.by_column IS NULL
                        AND h.released_at IS NULL AND (h.until IS NULL OR h.until > p_as_of)
                        AND h.key = ARRAY[t."id"::text])
      AND NOT ((SELECT retention._owner_holds('app.item', p_as_of))
               AND retention._held_by_owner('app.item', to_jsonb(t.*), p_as_of))
      AND NOT EXISTS (SELECT FROM retention.hold h
                      JOIN "app"."item" reached_1 ON h.key = ARRAY[reached_1."id"::text]
                      WHERE h.table_name = 'app.item' AND h.by_column IS NULL
                        AND h.released_at IS NULL AND (h.until IS NULL OR h.until > p_as_of)
                        AND reached_1."parent_id" = t."id")
      AND NOT ((SELECT retention._owner_holds('app.item', p_as_of))
               AND EXISTS (SELECT FROM "app"."item" reached_1
                           WHERE reached_1."parent_id" = t."id"
                             AND retention._held_by_owner('app.item', to_jsonb(reached_1.*), p_as_of)))
      AND NOT EXISTS (SELECT FROM retention.hold h
                      JOIN "app"."mention" reached_1 ON h.key = ARRAY[reached_1."id"::text]
                      WHERE h.table_name = 'app.mention' AND h.by_column IS NULL
                        AND h.released_at IS NULL AND (h.until IS NULL OR h.until > p_as_of)
                        AND reached_1."item_id" = t."id")
      AND NOT ((SELECT retention._owner_holds('app.mention', p_as_of))
               AND EXISTS (SELECT FROM "app"."mention" reached_1
                           WHERE reached_1."item_id" = t."id"
                             AND retention._held_by_owner('app.mention', to_jsonb(reached_1.*), p_as_of)))
      AND NOT EXISTS (SELECT FROM retention.hold h
                      JOIN "app"."tag_link" reached_1 ON h.key = ARRAY[reached_1."item_id"::text, reached_1."tag"::text]
                      WHERE h.table_name = 'app.tag_link' AND h.by_column IS NULL
                        AND h.released_at IS NULL AND (h.until IS NULL OR h.until > p_as_of)
                        AND reached_1."item_id" = t."id")
      AND NOT ((SELECT retention._owner_holds('app.tag_link', p_as_of))
               AND EXISTS (SELECT FROM "app"."tag_link" reached_1
                           WHERE reached_1."item_id" = t."id"
                             AND retention._held_by_owner('app.tag_link', to_jsonb(reached_1.*), p_as_of)))
      AND NOT EXISTS (SELECT FROM retention.hold h
                      JOIN "app"."tag_vote" reached_2 ON h.key = ARRAY[reached_2."id"::text]
                      JOIN "app"."tag_link" reached_1 ON reached_2."item_id" = reached_1."item_id" AND reached_2."tag" = reached_1."tag"
                      WHERE h.table_name = 'app.tag_vote' AND h.by_column IS NULL
                        AND h.released_at IS NULL AND (h.until IS NULL OR h.until > p_as_of)
                        AND reached_1."item_id" = t."id")
      AND NOT ((SELECT retention._owner_holds('app.tag_vote', p_as_of))
               AND EXISTS (SELECT FROM "app"."tag_vote" reached_2
                           JOIN "app"."tag_link" reached_1 ON reached_2."item_id" = reached_1."item_id" AND reached_2."tag" = reached_1."tag"
                           WHERE reached_1."item_id" = t."id"
                             AND retention._held_by_owner('app.tag_vote', to_jsonb(reached_2.*), p_as_of)))
$function$;
REVOKE ALL ON FUNCTION retention.items_due(timestamp with time zone) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION retention.items_due(timestamp with time zone)
    TO retention_operator, retention_viewer;
COMMENT ON FUNCTION retention.items_due(timestamp with time zone)
    IS 'pgretain: the rows that policy items would take at an instant';

-- to drop it
DROP FUNCTION IF EXISTS retention.items_due(timestamp with time zone);
