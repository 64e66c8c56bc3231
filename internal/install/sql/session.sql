-- What a role or a database sets for its applications must not end a migration: an index build
-- may take hours, and a default of read only would refuse everything.
SET application_name = 'pgretain migrate';
SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET default_transaction_read_only = off;
SET default_transaction_isolation = 'read committed';
SET client_min_messages = warning;
