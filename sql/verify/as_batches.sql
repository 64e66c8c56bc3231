-- Settings of generated functions, for one transaction. $1: the search path; $2: the zone; $3:
-- statement_timeout in milliseconds. Row security is no filter but an error.
SELECT set_config('search_path', $1, true), set_config('TimeZone', $2, true), set_config('DateStyle', 'ISO, YMD', true),
       set_config('row_security', 'off', true), set_config('statement_timeout', $3, true)
