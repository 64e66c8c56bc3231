-- The administrator of Neon: a member of neon_superuser, which may use schema cron but not pass
-- that on.
CREATE ROLE neon_superuser CREATEROLE CREATEDB REPLICATION BYPASSRLS;
GRANT pg_read_all_data, pg_write_all_data TO neon_superuser;
GRANT pg_monitor TO neon_superuser WITH ADMIN OPTION;
CREATE ROLE dbadmin LOGIN CREATEROLE CREATEDB REPLICATION BYPASSRLS IN ROLE neon_superuser;
ALTER DATABASE postgres OWNER TO dbadmin;
GRANT USAGE ON SCHEMA cron TO neon_superuser;
