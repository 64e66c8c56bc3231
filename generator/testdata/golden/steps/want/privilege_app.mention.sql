-- as migrator
-- What the owner of the generated functions may do with app.mention. UPDATE is for row locks, too.
GRANT SELECT, UPDATE ON app.mention TO retention_owner;
SELECT retention._granted('retention_owner', 'app', 'app.mention', 'SELECT, UPDATE');

-- to drop it
-- A table that is not there any more has taken its privileges along, and an owner keeps its own.
DO $function$
BEGIN
    IF EXISTS (SELECT FROM pg_class c WHERE c.oid = to_regclass('app.mention')
               AND pg_get_userbyid(c.relowner) <> 'retention_owner') THEN
        REVOKE SELECT, UPDATE ON app.mention FROM retention_owner;
    END IF;
END
$function$;
