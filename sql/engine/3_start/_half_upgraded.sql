-- _half_upgraded returns why no run starts during an upgrade: functions of policies have another
-- version than the runtime. Otherwise it returns NULL.
CREATE OR REPLACE FUNCTION retention._half_upgraded() RETURNS text
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $function$
    SELECT format('the runtime is between version %s and version %s: a migration is not finished',
                  i.runtime_version, '1')
    FROM retention.install i WHERE i.runtime_version <> '1'
$function$;
