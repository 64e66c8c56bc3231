-- The scheduler as the runtime's owner sees it. First column: whether the owner sees other
-- sessions; second: whether it finds the scheduler missing.
SELECT coalesce((SELECT bool_and(pg_has_role(p.proowner, 'pg_read_all_stats', 'USAGE'))
                 FROM pg_proc p WHERE p.oid = to_regprocedure('retention.health()')), false),
       EXISTS (SELECT FROM retention.health() h
               WHERE h.problem = 'the pg_cron scheduler is not running')
