-- The administrator of Google Cloud SQL: a member of cloudsqlsuperuser, which may pass on
-- everything in schema cron. It gets pg_monitor without ADMIN OPTION.
CREATE ROLE cloudsqlsuperuser LOGIN CREATEROLE CREATEDB;
GRANT pg_monitor, pg_signal_backend TO cloudsqlsuperuser;
CREATE ROLE dbadmin LOGIN CREATEROLE CREATEDB IN ROLE cloudsqlsuperuser;
ALTER DATABASE postgres OWNER TO cloudsqlsuperuser;
GRANT USAGE ON SCHEMA cron TO cloudsqlsuperuser WITH GRANT OPTION;
GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA cron TO cloudsqlsuperuser WITH GRANT OPTION;
GRANT ALL ON cron.job, cron.job_run_details TO cloudsqlsuperuser WITH GRANT OPTION;
