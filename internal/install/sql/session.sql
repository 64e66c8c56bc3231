-- What a role or a database sets for its applications must not end a migration: an index build
-- may take hours, and a default of read only would refuse everything.
-- What these statements and those of this program name is PostgreSQL's own, whatever stands in the session's schemas.
SET search_path = pg_catalog, pg_temp;
-- These two first: they are running already. Not every version has the second.
SET statement_timeout = 0;
SELECT set_config(s.name, '0', false) FROM pg_catalog.pg_settings s WHERE s.name = 'transaction_timeout';
SET application_name = 'pgretain migrate';
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET idle_session_timeout = 0;
SET default_transaction_read_only = off;
SET default_transaction_isolation = 'read committed';
SET client_min_messages = warning;
-- A migration whose client is gone must not go on for hours, with its lock. Not every system can tell.
DO $session$
BEGIN
    IF current_setting('client_connection_check_interval') = '0' THEN
        PERFORM set_config('client_connection_check_interval', '5s', false);
    END IF;
EXCEPTION WHEN invalid_parameter_value THEN
    NULL;
END
$session$;
