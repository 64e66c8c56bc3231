-- as migrator
-- What the worker may do with app.clocks. UPDATE is for row locks, too.
GRANT SELECT, UPDATE, DELETE ON app.clocks TO retention_worker;
SELECT retention._granted('retention_worker', 'app', 'app.clocks', 'SELECT, UPDATE, DELETE');

-- to drop it
-- A table that is not there any more has taken its privileges along, and an owner keeps its own.
DO $function$
BEGIN
    IF EXISTS (SELECT FROM pg_class c WHERE c.oid = to_regclass('app.clocks')
               AND pg_get_userbyid(c.relowner) <> 'retention_worker') THEN
        REVOKE SELECT, UPDATE, DELETE ON app.clocks FROM retention_worker;
    END IF;
END
$function$;
