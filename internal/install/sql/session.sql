-- Resets settings that a role or database may have for applications. They would end a long index
-- build, or make the session read only. The search path makes sure that names in these statements
-- mean objects of PostgreSQL. statement_timeout comes first, because it applies to this script too.
-- PostgreSQL 15 and 16 have no transaction_timeout.
SET search_path = pg_catalog, pg_temp;
SET statement_timeout = 0;
SELECT set_config(s.name, '0', false) FROM pg_catalog.pg_settings s WHERE s.name = 'transaction_timeout';
SET application_name = 'pgretain migrate';
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET idle_session_timeout = 0;
SET default_transaction_read_only = off;
SET default_transaction_isolation = 'read committed';
SET client_min_messages = warning;
-- If the client disconnects, the server must end the migration and release its lock. Not every
-- operating system supports this setting.
DO $session$
BEGIN
    IF current_setting('client_connection_check_interval') = '0' THEN
        PERFORM set_config('client_connection_check_interval', '5s', false);
    END IF;
EXCEPTION WHEN invalid_parameter_value THEN
    NULL;
END
$session$;
