-- as owner
-- The rows that policy names would take at an instant, for people:
--   SELECT * FROM retention.names_due(now());
-- Runs with its caller's rights and search_path; PostgreSQL can inline it.
CREATE OR REPLACE FUNCTION retention.names_due(p_as_of timestamptz)
RETURNS SETOF "Se""lect"."order by. $function$ {{ .Tag }}"
LANGUAGE sql STABLE
AS $function1$
    SELECT t.*
    FROM "Se""lect"."order by. $function$ {{ .Tag }}" t
    WHERE (t."größe'; DROP TABLE x; --" IS NOT NULL AND t."{{ . }}" AND t."a.b" > '')
      AND t."a ""quoted"" column" < retention._cutoff(p_as_of, 0, 7, '00:00:00', 'UTC')
      AND NOT EXISTS (
              SELECT FROM (SELECT t.tableoid AS rel, t.ctid AS tid,
                                  row_number() OVER (
                                      PARTITION BY t."数据", t."0123456789012345678901234567890123456789012345678901234567890ab"
                                      ORDER BY t."größe'; DROP TABLE x; --" DESC, t."user" DESC, t."a.b" DESC) AS place
                           FROM "Se""lect"."order by. $function$ {{ .Tag }}" t
                           WHERE (t."größe'; DROP TABLE x; --" IS NOT NULL AND t."{{ . }}" AND t."a.b" > '')
                             AND (t."größe'; DROP TABLE x; --") IS NOT NULL) r
              WHERE r.rel = t.tableoid AND r.tid = t.ctid AND r.place <= 1)
      AND NOT EXISTS (SELECT FROM retention.hold h
                      WHERE h.table_name = 'Se"lect.order by. $function$ {{ .Tag }}' AND h.by_column IS NULL
                        AND h.released_at IS NULL AND (h.until IS NULL OR h.until > p_as_of)
                        AND h.key = ARRAY[t."user"::text, t."a.b"::text])
      AND NOT ((SELECT retention._owner_holds('Se"lect.order by. $function$ {{ .Tag }}', p_as_of))
               AND retention._held_by_owner('Se"lect.order by. $function$ {{ .Tag }}', to_jsonb(t.*), p_as_of))
      AND NOT EXISTS (SELECT FROM retention.hold h
                      JOIN "Se""lect"."child" reached_1 ON h.key = ARRAY[reached_1."primary"::text]
                      WHERE h.table_name = 'Se"lect.child' AND h.by_column IS NULL
                        AND h.released_at IS NULL AND (h.until IS NULL OR h.until > p_as_of)
                        AND reached_1."user" = t."user"
                        AND reached_1."a.b" = t."a.b")
      AND NOT ((SELECT retention._owner_holds('Se"lect.child', p_as_of))
               AND EXISTS (SELECT FROM "Se""lect"."child" reached_1
                           WHERE reached_1."user" = t."user"
                             AND reached_1."a.b" = t."a.b"
                             AND retention._held_by_owner('Se"lect.child', to_jsonb(reached_1.*), p_as_of)))
$function1$;
REVOKE ALL ON FUNCTION retention.names_due(timestamp with time zone) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION retention.names_due(timestamp with time zone)
    TO retention_operator, retention_viewer;
COMMENT ON FUNCTION retention.names_due(timestamp with time zone)
    IS 'pgretain: the rows that policy names would take at an instant';

-- to drop it
DROP FUNCTION IF EXISTS retention.names_due(timestamp with time zone);
