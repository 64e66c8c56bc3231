-- Sets the settings of one transaction. $1 is the statement_timeout in milliseconds. The wait for a
-- lock is at most 100 ms. Days and timestamps are in the time zone of the install.
SELECT set_config('search_path', 'pg_catalog, pg_temp', true), set_config('statement_timeout', $1, true),
       set_config('lock_timeout', '100ms', true), set_config('DateStyle', 'ISO, YMD', true),
       set_config('IntervalStyle', 'postgres', true), set_config('jit', 'off', true),
       set_config('TimeZone', i.time_zone, true)
FROM retention.install i
