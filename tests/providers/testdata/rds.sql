-- The administrator of Amazon RDS: a member of rds_superuser, which may use schema cron and pass
-- USAGE on. It has EXECUTE on the functions there, but may not pass it on.
CREATE ROLE rds_superuser;
GRANT pg_monitor, pg_read_all_settings, pg_signal_backend, pg_checkpoint TO rds_superuser;
CREATE ROLE dbadmin LOGIN CREATEROLE CREATEDB IN ROLE rds_superuser;
ALTER DATABASE postgres OWNER TO dbadmin;
GRANT USAGE ON SCHEMA cron TO rds_superuser WITH GRANT OPTION;
GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA cron TO rds_superuser;
GRANT SELECT ON cron.job TO rds_superuser;
GRANT ALL ON cron.job_run_details TO rds_superuser WITH GRANT OPTION;
