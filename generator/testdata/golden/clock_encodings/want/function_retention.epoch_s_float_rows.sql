-- as owner
-- Which rows policy epoch_s_float is about at an instant, ($1).as_of, and what keeps each of them: those without a
-- verdict go. The one definition: whatever counts, shows or compares rows asks it. Deletes rows of app.clocks whose epoch_s_float is older than 7 days.
--   SELECT (r.t).* FROM retention.epoch_s_float_rows(retention.at('epoch_s_float', now())) r WHERE r.verdict IS NULL;
-- Runs with its caller's rights and search_path; PostgreSQL can inline it. Locks nothing.
CREATE OR REPLACE FUNCTION retention.epoch_s_float_rows(slice retention.slice)
RETURNS TABLE (rel oid, tid tid, t app.clocks, verdict text)
LANGUAGE sql STABLE
AS $function$
    SELECT t.tableoid, t.ctid, t, CASE
               WHEN ($1).held
                AND (EXISTS (SELECT FROM retention.hold h
                             WHERE h.table_name = 'app.clocks' AND h.by_column IS NULL
                               AND h.released_at IS NULL AND (h.until IS NULL OR h.until > ($1).as_of)
                               AND h.key = ARRAY[t.id::text])
                     OR ((SELECT retention._owner_holds('app.clocks', ($1).as_of))
                         AND retention._held_by_owner('app.clocks', to_jsonb(t.*), ($1).as_of))) THEN 'hold'
           END
    FROM app.clocks t
    WHERE t.epoch_s_float < extract(epoch FROM retention._cutoff(($1).as_of, 0, 7, '00:00:00', 'UTC'))::double precision
$function$;
REVOKE ALL ON FUNCTION retention.epoch_s_float_rows(retention.slice) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION retention.epoch_s_float_rows(retention.slice)
    TO retention_operator, retention_viewer;
COMMENT ON FUNCTION retention.epoch_s_float_rows(retention.slice)
    IS 'pgretain: which rows policy epoch_s_float is about';

-- to drop it
