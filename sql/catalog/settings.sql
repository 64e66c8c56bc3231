-- Makes the output of queries independent of the session, for one transaction. PostgreSQL then
-- qualifies names outside pg_catalog, and prints constants in defaults and predicates in one way.
-- $1: how many milliseconds a statement may take or wait for a lock, NULL for the session's own
--   limits
-- With row_security off, PostgreSQL raises an error instead of hiding rows.
SELECT set_config('search_path', 'pg_catalog, pg_temp', true),
       set_config('TimeZone', 'UTC', true),
       set_config('DateStyle', 'ISO, MDY', true),
       set_config('IntervalStyle', 'postgres', true),
       set_config('extra_float_digits', '1', true),
       set_config('quote_all_identifiers', 'off', true),
       set_config('bytea_output', 'hex', true),
       set_config('jit', 'off', true),
       set_config('row_security', 'off', true),
       set_config('statement_timeout', coalesce($1::text, current_setting('statement_timeout')), true),
       set_config('lock_timeout', coalesce($1::text, current_setting('lock_timeout')), true);
