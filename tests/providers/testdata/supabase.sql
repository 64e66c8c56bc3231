-- The administrator of Supabase. New tables and functions in schema public get privileges for three
-- roles of the programming interface. An event trigger of the provider runs in each migration.
CREATE ROLE dbadmin LOGIN CREATEROLE CREATEDB REPLICATION BYPASSRLS;
GRANT pg_monitor, pg_read_all_data, pg_signal_backend TO dbadmin WITH ADMIN OPTION;
ALTER DATABASE postgres OWNER TO dbadmin;
ALTER ROLE dbadmin SET statement_timeout = '2min';
CREATE SCHEMA extensions;
GRANT USAGE, CREATE ON SCHEMA extensions TO dbadmin;
ALTER ROLE dbadmin SET search_path = "$user", public, extensions;
CREATE ROLE anon;
CREATE ROLE authenticated;
CREATE ROLE service_role BYPASSRLS;
CREATE ROLE authenticator LOGIN NOINHERIT IN ROLE anon, authenticated, service_role;
GRANT anon, authenticated, service_role TO dbadmin WITH ADMIN OPTION;
GRANT USAGE ON SCHEMA public TO anon, authenticated, service_role;
ALTER DEFAULT PRIVILEGES FOR ROLE dbadmin IN SCHEMA public GRANT ALL ON TABLES TO anon, authenticated, service_role;
ALTER DEFAULT PRIVILEGES FOR ROLE dbadmin IN SCHEMA public GRANT ALL ON FUNCTIONS TO anon, authenticated, service_role;
GRANT USAGE ON SCHEMA cron TO dbadmin WITH GRANT OPTION;
GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA cron TO dbadmin WITH GRANT OPTION;
GRANT ALL ON ALL TABLES IN SCHEMA cron TO dbadmin WITH GRANT OPTION;
REVOKE ALL ON cron.job FROM dbadmin;
GRANT SELECT ON cron.job TO dbadmin WITH GRANT OPTION;
CREATE FUNCTION extensions.tell_interface() RETURNS event_trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM FROM pg_event_trigger_ddl_commands() WHERE command_tag IN ('CREATE TABLE', 'CREATE FUNCTION');
    IF FOUND THEN NOTIFY interface, 'schema changed'; END IF;
END $$;
CREATE EVENT TRIGGER tell_interface ON ddl_command_end EXECUTE FUNCTION extensions.tell_interface();
