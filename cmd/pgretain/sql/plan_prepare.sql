-- Replaces _validate, which executes the statements of a new policy with no row and so locks
-- tables.
CREATE OR REPLACE FUNCTION retention._validate(p_policy text) RETURNS void LANGUAGE plpgsql AS $function$
BEGIN
END $function$;
-- Timestamps are parsed and printed in the time zone of the install.
SELECT pg_catalog.set_config('TimeZone', i.time_zone, false) FROM retention.install i;
