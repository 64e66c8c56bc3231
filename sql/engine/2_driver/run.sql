-- run runs one policy or report, and commits after each batch.
-- as_of: the time for which rows are due. It may be in the past.
-- scope: the run takes only rows with these column values.
-- older_than: a window for this run
-- dry_run: count rows, and roll everything back
-- outcome: a sentence that says how the run ended
-- If all jobs of a policy have a scope, a call must have one, too. Scope '"all"' takes all rows.
-- It cannot be called inside a transaction block (2D000). It raises 22023 before it begins if the
-- scope is not allowed. If the run failed or tripped, it raises the error after its last COMMIT.
-- The runner and operators may call it.
-- Example: CALL retention.run('signals', scope => '{"chain_id": 1}', dry_run => true);
CREATE OR REPLACE PROCEDURE retention.run(
    policy pg_catalog.text, as_of pg_catalog.timestamptz DEFAULT NULL, reason pg_catalog.text DEFAULT NULL,
    INOUT outcome pg_catalog.text DEFAULT NULL, older_than pg_catalog.interval DEFAULT NULL,
    scope pg_catalog.jsonb DEFAULT NULL, dry_run pg_catalog.bool DEFAULT false)
LANGUAGE plpgsql SECURITY INVOKER AS $procedure$
BEGIN
    PERFORM retention._check_scope(policy, scope);
    CALL retention._run_all(
        ARRAY[policy], (NULL, as_of, reason, NULL, older_than, scope, dry_run, NULL)::retention.request, false,
        outcome);
END $procedure$;
