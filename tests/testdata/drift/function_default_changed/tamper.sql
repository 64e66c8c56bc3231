-- Other defaults: every run is a dry one, preview looks at one row.
DO $do$
DECLARE
    v_text text;
    v_change text[];
BEGIN
    FOREACH v_change SLICE 1 IN ARRAY ARRAY[
        ['retention.run(text, timestamptz, text, text, interval, jsonb, boolean)', 'dry_run boolean DEFAULT false', 'dry_run boolean DEFAULT true'],
        ['retention.preview(text, timestamptz, interval, jsonb, bigint)', 'max_rows bigint DEFAULT NULL::bigint', 'max_rows bigint DEFAULT 1'],
        ['retention.restore(text, bigint, timestamptz)', '''30 days''::interval', '''30 hours''::interval'],
        ['retention._paused(text)', 'p_policy text', 'p_policy text DEFAULT ''*''::text']]
    LOOP
        v_text := pg_get_functiondef(v_change[1]::regprocedure);
        ASSERT strpos(v_text, v_change[2]) > 0, v_text;
        EXECUTE replace(v_text, v_change[2], v_change[3]);
    END LOOP;
END
$do$;
