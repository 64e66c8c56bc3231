-- as migrator
-- What the owner of the generated functions may do with app.attic.
GRANT SELECT, INSERT ON app.attic TO retention_owner;
SELECT retention._granted('retention_owner', 'app', 'app.attic', 'SELECT, INSERT');

-- to drop it
-- A table that is not there any more has taken its privileges along, and an owner keeps its own.
DO $function$
BEGIN
    IF EXISTS (SELECT FROM pg_class c WHERE c.oid = to_regclass('app.attic')
               AND pg_get_userbyid(c.relowner) <> 'retention_owner') THEN
        REVOKE SELECT, INSERT ON app.attic FROM retention_owner;
    END IF;
END
$function$;
