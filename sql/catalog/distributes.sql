-- Whether Citus is there.
SELECT to_regclass('pg_catalog.pg_dist_partition') IS NOT NULL;
