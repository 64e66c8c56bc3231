-- as migrator
-- What the worker may do with app.loan. UPDATE is for row locks, too.
GRANT SELECT, UPDATE, DELETE ON app.loan TO retention_worker;
SELECT retention._granted('retention_worker', 'app', 'app.loan', 'SELECT, UPDATE, DELETE');

-- to drop it
-- A table that is not there any more has taken its privileges along, and an owner keeps its own.
DO $function$
BEGIN
    IF EXISTS (SELECT FROM pg_class c WHERE c.oid = to_regclass('app.loan')
               AND pg_get_userbyid(c.relowner) <> 'retention_worker') THEN
        REVOKE SELECT, UPDATE, DELETE ON app.loan FROM retention_worker;
    END IF;
END
$function$;
