-- _count_claims adds a call of <policy>_claim or <policy>_seen to the statistics, unless the
-- transaction is read-only. The counters are in a setting of the session. The function writes a row
-- of retention.claim after a minute, or once the new keys are an eighth of the keys in written
-- rows. A row for each call would cost a commit, even for keys that are refused.
CREATE OR REPLACE FUNCTION retention._count_claims(p_policy text, p_asked bigint, p_won bigint) RETURNS void
LANGUAGE plpgsql AS $function$
DECLARE
    v_setting CONSTANT text := 'retention.claims_' || p_policy;
    v_now CONSTANT bigint := extract(epoch FROM clock_timestamp()) * 1000000;
    -- 1: the start of counting in microseconds, 2: keys asked for, 3: keys won, 4: keys asked for
    -- in rows that were written.
    v_counted bigint[] := coalesce(nullif(current_setting(v_setting, true), '')::bigint[], ARRAY[v_now, 0, 0, 0]);
BEGIN
    IF p_asked > 0 IS NOT TRUE OR current_setting('transaction_read_only') = 'on' THEN RETURN; END IF;
    IF v_counted[2] = 0 THEN v_counted[1] := v_now; END IF;
    v_counted[2] := v_counted[2] + p_asked;
    v_counted[3] := v_counted[3] + p_won;
    IF v_counted[2] >= v_counted[4] / 8 OR v_now - v_counted[1] >= 60000000 THEN
        INSERT INTO retention.claim (policy, at, asked, won)
        VALUES (p_policy, to_timestamp(v_counted[1] / 1000000.0), v_counted[2], v_counted[3]);
        v_counted := ARRAY[v_now, 0, 0, v_counted[4] + v_counted[2]];
    END IF;
    PERFORM set_config(v_setting, v_counted::text, false);
END $function$;
