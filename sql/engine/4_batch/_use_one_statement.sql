-- _use_one_statement reports whether one statement may recheck and take the rows of the next batch.
-- All of these must be true:
-- - The policy allows it. If guards read other tables, one statement must be able to find and lock
--   the rows first, and guards kept at most half of the rows of the last batch.
-- - Conditions in the statement say which rows are held (p_unheld, from _unheld). For a rank, no
--   hold may concern the policy.
-- - In the last 20 batches no row was refused, and none was locked for longer than a batch waits.
-- - For a rank, no row of the next group was skipped, and the group has no more surplus rows than a
--   batch may take.
CREATE OR REPLACE FUNCTION retention._use_one_statement(
    p_run retention.run, p_policy retention.policy, p_last retention.batch, p_unheld text) RETURNS boolean
LANGUAGE plpgsql STABLE AS $function$
DECLARE v_pass CONSTANT pg_catalog.jsonb := p_policy.passes -> (p_last.next_pass - 1);
BEGIN
    RETURN v_pass ? 'range' AND (NOT v_pass ? 'lock' OR v_pass ? 'due' AND NOT retention._kept_most(p_run, p_last.n))
       AND p_unheld IS NOT NULL AND (p_unheld = '' OR NOT v_pass ? 'groups')
       AND NOT EXISTS (SELECT FROM retention.batch b WHERE b.run_id = p_last.run_id AND b.n > p_last.n - 20
           AND b.sqlstate IS NOT NULL)
       AND NOT (v_pass ? 'groups' AND EXISTS (
               SELECT FROM retention.run_group r
               WHERE (r.run_id, r.pass) = (p_last.run_id, p_last.next_pass)
                 AND r.ordinal = coalesce((p_last.next_position ->> 0)::bigint, 1)
                 AND (r.surplus > least(p_policy.batch_rows, p_policy.budget_rows - p_last.total_taken)
                     OR (p_last.next_position ->> 1)::bigint > 0)));
END $function$;
