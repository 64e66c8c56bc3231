-- How a run ended: its state, a sentence for people, and whether a job must not go on after it.
CREATE OR REPLACE FUNCTION retention._outcome(
    p_run bigint, OUT state text, OUT sqlstate text, OUT summary text, OUT bad boolean, OUT halt boolean)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $function$
BEGIN
    SELECT r.state, coalesce(r.sqlstate, 'P0001'),
           CASE WHEN r.dry_run THEN format('%s: dry run, %s (run %s): %s', r.policy, r.state, r.id, r.message)
                WHEN r.table_name = '' THEN format('%s: %s (run %s): %s', r.policy, r.state, r.id, r.message)
                ELSE format('%s: %s (run %s): %s of %s rows taken%s', r.policy, r.state, r.id, r.taken,
                            r.scanned, '; ' || r.message) END,
           r.state IN ('failed', 'tripped'), coalesce(r.sqlstate = '57014', false)
    INTO state, sqlstate, summary, bad, halt FROM retention.run r WHERE r.id = p_run;
END $function$;
