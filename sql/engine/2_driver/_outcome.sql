-- _outcome returns how one run of a call ended, for the driver.
-- summary: a sentence
-- failure: the error that the call raises at its end, or NULL
-- halt: true if the call stops here, because it was cancelled or the job is strict
-- uncounted: true if the run may have left due rows that have not been counted
-- events: true if the run wrote events
CREATE OR REPLACE FUNCTION retention._outcome(
    p_run bigint, p_policies text[], p_place integer, p_strict boolean, OUT summary text, OUT failure text,
    OUT sqlstate text, OUT halt boolean, OUT uncounted boolean, OUT events boolean)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $function$
DECLARE v_state text; v_rest CONSTANT text := array_to_string(p_policies[p_place + 1:], ', ');
BEGIN
    SELECT r.state, coalesce(r.sqlstate, 'P0001'),
           format('%s: %s%s (run %s): ', r.policy, CASE WHEN r.dry_run THEN 'dry run, ' END, r.state, r.id)
               || concat_ws('; ', CASE WHEN r.table_name = '' THEN NULL
                   WHEN r.dry_run THEN format('would take %s of %s rows', r.taken, r.scanned)
                   ELSE format('%s of %s rows taken%s', r.taken, r.scanned, CASE WHEN r.waited_s > 0
                       THEN format(', waited %s s for %s', r.waited_s, r.waited_for) END) END, r.message),
           coalesce(r.sqlstate = '57014', false) OR p_strict AND r.state <> 'done',
           r.state IN ('more', 'tripped', 'paused') AND NOT r.dry_run, r.related ? 'retention.event'
    INTO v_state, sqlstate, summary, halt, uncounted, events FROM retention.run r WHERE r.id = p_run;
    failure := CASE WHEN v_state IN ('failed', 'tripped', 'stopped') THEN summary END;
    IF halt AND v_rest <> '' THEN
        failure := concat_ws(E'\n', failure,
            format('not run, because %s ended %s: %s', p_policies[p_place], v_state, v_rest));
    END IF;
END $function$;
