-- as owner
-- Which rows policy loans is about at an instant, ($1).as_of, and what keeps each of them: those without a
-- verdict go. The one definition: whatever counts, shows or compares rows asks it. Works off rows of app.loan by their id.
--   SELECT (r.t).* FROM retention.loans_rows(retention.at('loans', now())) r WHERE r.verdict IS NULL;
-- Runs with its caller's rights and search_path; PostgreSQL can inline it. Locks nothing.
CREATE OR REPLACE FUNCTION retention.loans_rows(slice retention.slice)
RETURNS TABLE (rel oid, tid tid, t app.loan, verdict text)
LANGUAGE sql STABLE
AS $function$
    SELECT t.tableoid, t.ctid, t, CASE
               WHEN ($1).held
                AND (EXISTS (SELECT FROM retention.hold h
                             WHERE h.table_name = 'app.loan' AND h.by_column IS NULL
                               AND h.released_at IS NULL AND (h.until IS NULL OR h.until > ($1).as_of)
                               AND h.key = ARRAY[t.id::text])
                     OR ((SELECT retention._owner_holds('app.loan', ($1).as_of))
                         AND retention._held_by_owner('app.loan', to_jsonb(t.*), ($1).as_of))) THEN 'hold'
           END
    FROM app.loan t
    WHERE t.id > (SELECT t.id FROM app.rolled t WHERE (t.what = 'loan'))
$function$;
REVOKE ALL ON FUNCTION retention.loans_rows(retention.slice) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION retention.loans_rows(retention.slice)
    TO retention_operator, retention_viewer;
COMMENT ON FUNCTION retention.loans_rows(retention.slice)
    IS 'pgretain: which rows policy loans is about';

-- to drop it
