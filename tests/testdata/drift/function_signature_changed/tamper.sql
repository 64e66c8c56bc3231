-- Same name, same types of arguments, and called in another way. Owners and privileges stay.
DO $do$
DECLARE
    v_text text;
    v_change text[];
    v_was pg_proc;
BEGIN
    PERFORM set_config('check_function_bodies', 'off', true);
    FOREACH v_change SLICE 1 IN ARRAY ARRAY[
        ['retention.window_of(text)', 'RETURNS interval', 'RETURNS text'],
        ['retention.take_events(integer, text)', 'RETURNS SETOF retention.event', 'RETURNS retention.event'],
        ['retention.blast_radius(text, timestamptz, interval, jsonb, bigint)', 'note text', 'note text, more text'],
        ['retention.release_hold(bigint, text)', 'hold_id bigint, reason text', 'reason bigint, hold_id text'],
        ['retention.place_hold(text, text, text, timestamptz)', 'OUT hold_id bigint, OUT rows_held bigint', 'OUT rows_held bigint, OUT hold_id bigint'],
        ['retention.run_job(text, timestamptz, text, text, boolean)', 'INOUT outcome text', 'IN outcome text']]
    LOOP
        v_text := pg_get_functiondef(v_change[1]::regprocedure);
        ASSERT strpos(v_text, v_change[2]) > 0, v_text;
        SELECT p.* INTO v_was FROM pg_proc p WHERE p.oid = v_change[1]::regprocedure;
        EXECUTE 'DROP ROUTINE ' || v_change[1];
        EXECUTE replace(v_text, v_change[2], v_change[3]);
        UPDATE pg_proc SET proowner = v_was.proowner, proacl = v_was.proacl WHERE oid = v_change[1]::regprocedure;
    END LOOP;
END
$do$;
