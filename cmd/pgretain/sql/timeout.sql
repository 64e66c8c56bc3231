-- Returns the statement_timeout of the session, if it has one.
SELECT s.setting || s.unit FROM pg_catalog.pg_settings s WHERE s.name = 'statement_timeout' AND s.setting <> '0';
