-- _arm_probe lets run_if_due() use the probe of a policy, after a run of a job found no obstacle
-- and no due row at all, whether a guard or hold would keep it or not.
-- p_mark: the policy's mark when the run began
-- It does nothing in these cases:
-- - The run did not end "done", or it had a scope or a window.
-- - The policy has settings now, or was changed since the run began.
-- - A query on the table could execute other code than PostgreSQL's: the table is no plain heap
--   table, or it has an index or a statistics object that uses objects of others.
-- - A migration is replacing the probe. It does not wait for the migration.
CREATE OR REPLACE FUNCTION retention._arm_probe(p_run bigint, p_mark text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan AS $function$
BEGIN
    UPDATE retention.probe b SET mark = p_mark, asked_at = r.started_at
    FROM retention.run r, retention.policy p, pg_namespace n, pg_class c
    WHERE r.id = p_run AND r.state = 'done' AND r.job IS NOT NULL AND NOT r.dry_run
      AND num_nonnulls(r.scope, r.older_than) = 0
      AND p.name = r.policy AND p.hash = r.policy_hash
      AND NOT EXISTS (SELECT FROM retention.setting s WHERE s.policy IN (r.policy, '*'))
      AND b.policy = (SELECT o.policy FROM retention.probe o WHERE o.policy = r.policy FOR UPDATE SKIP LOCKED)
      AND n.nspname = b.schema_name AND c.relnamespace = n.oid AND c.relname = b.rel_name
      AND c.relkind = 'r' AND c.relam = 2 AND NOT c.relhasrules  -- pg_am.oid 2: heap
      AND NOT EXISTS (SELECT FROM pg_inherits i WHERE i.inhparent = c.oid)
      AND NOT EXISTS (
        SELECT FROM pg_depend d JOIN pg_depend u ON (u.classid, u.objid) = (d.classid, d.objid)
        WHERE d.refclassid = 'pg_class'::regclass AND d.refobjid = c.oid
          AND d.classid IN ('pg_class'::regclass, 'pg_statistic_ext'::regclass)
          AND u.refobjid >= 16384  -- objects of initdb have lower OIDs
          AND u.refclassid NOT IN ('pg_class'::regclass, 'pg_constraint'::regclass, 'pg_namespace'::regclass));
END $function$;
