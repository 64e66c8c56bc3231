-- as owner
-- Which rows policy items is about at an instant, ($1).as_of, and what keeps each of them: those without a
-- verdict go. The one definition: whatever counts, shows or compares rows asks it. Deletes rows of app.item whose at is older than 90 days.
--   SELECT (r.t).* FROM retention.items_rows(retention.at('items', now())) r WHERE r.verdict IS NULL;
-- Runs with its caller's rights and search_path; PostgreSQL can inline it. Locks nothing.
CREATE OR REPLACE FUNCTION retention.items_rows(slice retention.slice)
RETURNS TABLE (rel oid, tid tid, t app.item, verdict text)
LANGUAGE sql STABLE
AS $function$
    SELECT t.tableoid, t.ctid, t, CASE
               WHEN ($1).held
                AND (EXISTS (SELECT FROM retention.hold h
                             WHERE h.table_name = 'app.item' AND h.by_column IS NULL
                               AND h.released_at IS NULL AND (h.until IS NULL OR h.until > ($1).as_of)
                               AND h.key = ARRAY[t.id::text])
                     OR ((SELECT retention._owner_holds('app.item', ($1).as_of))
                         AND retention._held_by_owner('app.item', to_jsonb(t.*), ($1).as_of))
                     OR EXISTS (SELECT FROM retention.hold h
                                JOIN app.item reached_1 ON h.key = ARRAY[reached_1.id::text]
                                WHERE h.table_name = 'app.item' AND h.by_column IS NULL
                                  AND h.released_at IS NULL AND (h.until IS NULL OR h.until > ($1).as_of)
                                  AND reached_1.parent_id = t.id)
                     OR ((SELECT retention._owner_holds('app.item', ($1).as_of))
                         AND EXISTS (SELECT FROM app.item reached_1
                                     WHERE reached_1.parent_id = t.id
                                       AND retention._held_by_owner('app.item', to_jsonb(reached_1.*), ($1).as_of)))
                     OR EXISTS (SELECT FROM retention.hold h
                                JOIN app.mention reached_1 ON h.key = ARRAY[reached_1.id::text]
                                WHERE h.table_name = 'app.mention' AND h.by_column IS NULL
                                  AND h.released_at IS NULL AND (h.until IS NULL OR h.until > ($1).as_of)
                                  AND reached_1.item_id = t.id)
                     OR ((SELECT retention._owner_holds('app.mention', ($1).as_of))
                         AND EXISTS (SELECT FROM app.mention reached_1
                                     WHERE reached_1.item_id = t.id
                                       AND retention._held_by_owner('app.mention', to_jsonb(reached_1.*), ($1).as_of)))
                     OR EXISTS (SELECT FROM retention.hold h
                                JOIN app.tag_link reached_1 ON h.key = ARRAY[reached_1.item_id::text,
                                    reached_1.tag::text]
                                WHERE h.table_name = 'app.tag_link' AND h.by_column IS NULL
                                  AND h.released_at IS NULL AND (h.until IS NULL OR h.until > ($1).as_of)
                                  AND reached_1.item_id = t.id)
                     OR ((SELECT retention._owner_holds('app.tag_link', ($1).as_of))
                         AND EXISTS (SELECT FROM app.tag_link reached_1
                                     WHERE reached_1.item_id = t.id
                                       AND retention._held_by_owner('app.tag_link', to_jsonb(reached_1.*), ($1).as_of)))
                     OR EXISTS (SELECT FROM retention.hold h
                                JOIN app.tag_vote reached_2 ON h.key = ARRAY[reached_2.id::text]
                                JOIN app.tag_link reached_1 ON reached_2.item_id = reached_1.item_id
                                    AND reached_2.tag = reached_1.tag
                                WHERE h.table_name = 'app.tag_vote' AND h.by_column IS NULL
                                  AND h.released_at IS NULL AND (h.until IS NULL OR h.until > ($1).as_of)
                                  AND reached_1.item_id = t.id)
                     OR ((SELECT retention._owner_holds('app.tag_vote', ($1).as_of))
                         AND EXISTS (SELECT FROM app.tag_vote reached_2
                                     JOIN app.tag_link reached_1 ON reached_2.item_id = reached_1.item_id
                                         AND reached_2.tag = reached_1.tag
                                     WHERE reached_1.item_id = t.id
                                       AND retention._held_by_owner('app.tag_vote', to_jsonb(reached_2.*), ($1).as_of)))
                     OR EXISTS (
                            SELECT FROM app.loan l
                            WHERE (l.note_id = t.id AND l.used_at < t.at)
                              AND (EXISTS (SELECT FROM retention.hold h
                                           WHERE h.table_name = 'app.loan' AND h.by_column IS NULL
                                             AND h.released_at IS NULL AND (h.until IS NULL OR h.until > ($1).as_of)
                                             AND h.key = ARRAY[l.id::text])
                                   OR ((SELECT retention._owner_holds('app.loan', ($1).as_of))
                                       AND retention._held_by_owner('app.loan', to_jsonb(l.*), ($1).as_of))))
                     OR EXISTS (
                            SELECT FROM app.blob b
                            WHERE (b.id = t.blob_id AND NOT EXISTS (SELECT FROM app.item x WHERE x.blob_id = b.id) AND NOT 'kept' = ANY (t.labels))
                              AND (EXISTS (SELECT FROM retention.hold h
                                           WHERE h.table_name = 'app.blob' AND h.by_column IS NULL
                                             AND h.released_at IS NULL AND (h.until IS NULL OR h.until > ($1).as_of)
                                             AND h.key = ARRAY[b.id::text])
                                   OR ((SELECT retention._owner_holds('app.blob', ($1).as_of))
                                       AND retention._held_by_owner('app.blob', to_jsonb(b.*), ($1).as_of))
                                   OR EXISTS (SELECT FROM retention.hold h
                                              JOIN app.copy reached_1 ON h.key = ARRAY[reached_1.id::text]
                                              WHERE h.table_name = 'app.copy' AND h.by_column IS NULL
                                                AND h.released_at IS NULL AND (h.until IS NULL OR h.until > ($1).as_of)
                                                AND reached_1.blob_id = b.id)
                                   OR ((SELECT retention._owner_holds('app.copy', ($1).as_of))
                                       AND EXISTS (SELECT FROM app.copy reached_1
                                                   WHERE reached_1.blob_id = b.id
                                                     AND retention._held_by_owner('app.copy', to_jsonb(reached_1.*), ($1).as_of)))))) THEN 'hold'
               WHEN (NOT EXISTS (SELECT FROM app.loan l WHERE l.note_id = t.id)) IS NOT TRUE THEN 'passed'
           END
    FROM app.item t
    WHERE t.at < retention._cutoff(($1).as_of, 0, 90, '00:00:00', 'UTC')
$function$;
REVOKE ALL ON FUNCTION retention.items_rows(retention.slice) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION retention.items_rows(retention.slice)
    TO retention_operator, retention_viewer;
COMMENT ON FUNCTION retention.items_rows(retention.slice)
    IS 'pgretain: which rows policy items is about';

-- to drop it
