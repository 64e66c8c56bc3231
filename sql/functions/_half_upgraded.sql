-- Why no run starts between the first and the last file of an upgrade, NULL where none is under way:
-- the functions of the policies are still those of the other version.
CREATE OR REPLACE FUNCTION retention._half_upgraded() RETURNS text
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $function$
BEGIN
    RETURN (SELECT format('the runtime is between version %s and version %s: a migration is not finished',
                  i.runtime_version, '1')
    FROM retention.install i WHERE i.runtime_version <> '1');
END $function$;
