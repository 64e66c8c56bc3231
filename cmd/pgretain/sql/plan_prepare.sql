-- A page that is registered is not tried by going through its statements, which locks tables: nothing is changed here.
CREATE OR REPLACE FUNCTION retention._validate(p_policy text) RETURNS void LANGUAGE plpgsql AS $function$
BEGIN
END $function$;
-- Instants are read and shown in the zone of the install.
SELECT pg_catalog.set_config('TimeZone', i.time_zone, false) FROM retention.install i;
