-- as migrator
-- What the worker may do with app.daily. UPDATE is for row locks, too.
GRANT SELECT, INSERT, UPDATE ON app.daily TO retention_worker;
SELECT retention._granted('retention_worker', 'app', 'app.daily', 'SELECT, INSERT, UPDATE');

-- to drop it
-- A table that is not there any more has taken its privileges along, and an owner keeps its own.
DO $function$
BEGIN
    IF EXISTS (SELECT FROM pg_class c WHERE c.oid = to_regclass('app.daily')
               AND pg_get_userbyid(c.relowner) <> 'retention_worker') THEN
        REVOKE SELECT, INSERT, UPDATE ON app.daily FROM retention_worker;
    END IF;
END
$function$;
