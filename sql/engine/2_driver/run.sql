-- run runs one policy or report. as_of may lie in the past; scope takes only the rows with these values; older_than is a
-- window for this run; dry_run counts and touches nothing. A policy whose jobs all have a scope takes all rows with
-- '"all"' only. Commits after every batch, so not in a transaction block; raises after its last COMMIT when it failed
-- or tripped, and 22023 before it begins for a scope that is not allowed.
--   CALL retention.run('signals', scope => '{"chain_id": 1}', dry_run => true);
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
