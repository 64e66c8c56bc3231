-- Removes limits that a role or database may have for applications. The call of a run is one
-- statement, which Ctrl-C cancels. PostgreSQL 15 and 16 have no transaction_timeout.
SET statement_timeout = 0;
SELECT set_config(s.name, '0', false) FROM pg_catalog.pg_settings s WHERE s.name = 'transaction_timeout';
