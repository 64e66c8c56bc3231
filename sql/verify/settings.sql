-- Makes what the other queries print independent of the session, for one transaction.
-- $1: statement_timeout in milliseconds. row_security: what would be hidden is an error, and never taken for
-- what is not there.
SELECT set_config('search_path', 'pg_catalog, pg_temp', true),
       set_config('TimeZone', 'UTC', true),
       set_config('DateStyle', 'ISO, MDY', true),
       set_config('IntervalStyle', 'postgres', true),
       set_config('extra_float_digits', '1', true),
       set_config('quote_all_identifiers', 'off', true),
       set_config('bytea_output', 'hex', true),
       set_config('jit', 'off', true),
       set_config('row_security', 'off', true),
       set_config('statement_timeout', $1, true),
       set_config('lock_timeout', $1, true)
