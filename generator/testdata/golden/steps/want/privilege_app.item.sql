-- as migrator
-- What the owner of the generated functions may do with app.item. UPDATE is for row locks, too.
GRANT SELECT, UPDATE, DELETE ON app.item TO retention_owner;
SELECT retention._granted('retention_owner', 'app', 'app.item', 'SELECT, UPDATE, DELETE');

-- to drop it
-- A table that is not there any more has taken its privileges along, and an owner keeps its own.
DO $function$
BEGIN
    IF EXISTS (SELECT FROM pg_class c WHERE c.oid = to_regclass('app.item')
               AND pg_get_userbyid(c.relowner) <> 'retention_owner') THEN
        REVOKE SELECT, UPDATE, DELETE ON app.item FROM retention_owner;
    END IF;
END
$function$;
