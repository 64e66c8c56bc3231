-- as migrator
-- What the worker may do with app.config.
GRANT SELECT ON app.config TO retention_worker;
SELECT retention._granted('retention_worker', 'app', 'app.config', 'SELECT');

-- to drop it
-- A table that is not there any more has taken its privileges along, and an owner keeps its own.
DO $function$
BEGIN
    IF EXISTS (SELECT FROM pg_class c WHERE c.oid = to_regclass('app.config')
               AND pg_get_userbyid(c.relowner) <> 'retention_worker') THEN
        REVOKE SELECT ON app.config FROM retention_worker;
    END IF;
END
$function$;
