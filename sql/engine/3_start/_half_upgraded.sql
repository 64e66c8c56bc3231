-- Why no run starts while an upgrade is under way, NULL for none: functions of policies are of the other version.
CREATE OR REPLACE FUNCTION retention._half_upgraded() RETURNS text
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $function$
    SELECT format('the runtime is between version %s and version %s: a migration is not finished',
                  i.runtime_version, '1')
    FROM retention.install i WHERE i.runtime_version <> '1'
$function$;
