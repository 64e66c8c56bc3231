-- as migrator
-- What the worker may do with app.rolled. UPDATE is for row locks, too.
GRANT SELECT, UPDATE ON app.rolled TO retention_worker;
SELECT retention._granted('retention_worker', 'app', 'app.rolled', 'SELECT, UPDATE');

-- to drop it
-- A table that is not there any more has taken its privileges along, and an owner keeps its own.
DO $function$
BEGIN
    IF EXISTS (SELECT FROM pg_class c WHERE c.oid = to_regclass('app.rolled')
               AND pg_get_userbyid(c.relowner) <> 'retention_worker') THEN
        REVOKE SELECT, UPDATE ON app.rolled FROM retention_worker;
    END IF;
END
$function$;
