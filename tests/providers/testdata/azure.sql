-- The administrator of Azure's flexible server: a member of azure_pg_admin, to which database and
-- schema public belong. It may bypass row security.
CREATE ROLE azure_pg_admin;
GRANT pg_monitor, pg_read_all_settings, pg_read_all_stats, pg_signal_backend TO azure_pg_admin WITH ADMIN OPTION;
CREATE ROLE dbadmin LOGIN CREATEROLE CREATEDB REPLICATION BYPASSRLS IN ROLE azure_pg_admin;
ALTER DATABASE postgres OWNER TO azure_pg_admin;
ALTER SCHEMA public OWNER TO azure_pg_admin;
GRANT USAGE ON SCHEMA cron TO azure_pg_admin WITH GRANT OPTION;
GRANT EXECUTE ON FUNCTION cron.schedule_in_database(text, text, text, text, text, boolean) TO azure_pg_admin
    WITH GRANT OPTION;
GRANT SELECT ON cron.job TO azure_pg_admin;
GRANT SELECT, DELETE ON cron.job_run_details TO azure_pg_admin;
