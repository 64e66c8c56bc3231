-- as owner
-- Takes what is due from ($1).lo to ($1).hi, or of the rows ($1).tids. The rows' locks check the conditions once more.
CREATE OR REPLACE FUNCTION retention.signals_take(retention.slice) RETURNS retention.taken LANGUAGE plpgsql
AS $function$
DECLARE
    v_written_1 bigint;
    v_written_2 bigint;
    v_written_3 bigint;
    v_out retention.taken := ROW(0, '{}', '{}');
BEGIN
    EXECUTE $sql$
    WITH t AS (
        DELETE FROM app.note t WHERE t.made_at < retention._cutoff(($1).as_of, 0, 7, '00:00:00', 'UTC')
          AND (($1).lo IS NULL OR (t.made_at, t.id) > ((($1).lo ->> 0)::timestamptz, (($1).lo ->> 1)::bigint))
          AND (($1).hi IS NULL OR (t.made_at, t.id) <= ((($1).hi ->> 0)::timestamptz, (($1).hi ->> 1)::bigint))
          AND (($1).tids IS NULL OR t.ctid = ANY (($1).tids))
        RETURNING t.*
    ), step_1 AS (
        INSERT INTO app.daily AS was (day, owner_id, n, top, last_kind, at)
        SELECT totals.day, totals.owner_id, totals.n, totals.top, newest.last_kind, (($1).as_of)
        FROM (SELECT (t.made_at::date) AS day, (t.owner_id) AS owner_id, coalesce((count(*)), 0) AS n,
            (max(t.score)) AS top
              FROM t WHERE (t.kind <> 'x') GROUP BY 1, 2) totals
        JOIN (SELECT DISTINCT ON (1, 2)
                     (t.made_at::date) AS day, (t.owner_id) AS owner_id, (t.kind) AS last_kind FROM t
              WHERE (t.kind <> 'x') ORDER BY 1, 2, t.made_at DESC, t.id DESC) newest
          ON newest.day IS NOT DISTINCT FROM totals.day AND newest.owner_id IS NOT DISTINCT FROM totals.owner_id
        ON CONFLICT (day, owner_id) DO UPDATE SET n = coalesce(was.n + excluded.n, was.n, excluded.n),
            top = greatest(was.top, excluded.top),
            last_kind = excluded.last_kind,
            at = excluded.at
        RETURNING 1
    ), step_2 AS (
        INSERT INTO app.old_note (id, owner_id, kind, state, score, starred, tag, made_at, seen_at, expires_at, run_id)
        SELECT t.id, t.owner_id, t.kind, t.state, t.score, t.starred, t.tag, t.made_at, t.seen_at, t.expires_at,
            (($1).run_id)
        FROM t
        RETURNING 1
    ), step_3 AS (
        INSERT INTO retention.event (run_id, policy, event, payload)
        SELECT ($1).run_id, 'signals', 'note_gone', jsonb_build_object('id', (t.id), 'kind', (t.kind)) FROM t
        RETURNING 1
    )
    SELECT (SELECT count(*) FROM t),
           (SELECT count(*) FROM step_1),
           (SELECT count(*) FROM step_2),
           (SELECT count(*) FROM step_3)
    $sql$ INTO v_out.taken, v_written_1, v_written_2, v_written_3 USING $1;
    IF v_written_2 <> v_out.taken THEN
        RAISE EXCEPTION USING MESSAGE = format('%s rows were archived and %s deleted', v_written_2, v_out.taken);
    END IF;
    v_out.related := jsonb_build_object('app.daily', v_written_1, 'app.old_note', v_written_2, 'retention.event', v_written_3);
    RETURN v_out;
END $function$;

-- to drop it
