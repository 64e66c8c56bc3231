-- _fails_without_rows reports whether a batch of no rows raises the same error. If it does, the
-- statement causes the error, and not a row. Everything that the batch does is rolled back.
CREATE OR REPLACE FUNCTION retention._fails_without_rows(
    p_policy retention.policy, p_batch retention.batch_range, p_next retention.batch, p_sqlstate text)
RETURNS boolean LANGUAGE plpgsql AS $function$
DECLARE v_batch retention.batch_range := p_batch;
BEGIN
    v_batch.prove := true;
    PERFORM retention._attempt_batch(p_policy, v_batch, 1, false, true, p_next);
    RAISE SQLSTATE 'PR003';
EXCEPTION WHEN OTHERS OR assert_failure THEN
    RETURN SQLSTATE = p_sqlstate;
END $function$;
