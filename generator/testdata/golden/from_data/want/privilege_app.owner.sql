-- as migrator
-- What the owner of the generated functions may do with app.owner.
GRANT SELECT ON app.owner TO retention_owner;
SELECT retention._granted('retention_owner', 'app', 'app.owner', 'SELECT');

-- to drop it
-- A table that is not there any more has taken its privileges along, and an owner keeps its own.
DO $function$
BEGIN
    IF EXISTS (SELECT FROM pg_class c WHERE c.oid = to_regclass('app.owner')
               AND pg_get_userbyid(c.relowner) <> 'retention_owner') THEN
        REVOKE SELECT ON app.owner FROM retention_owner;
    END IF;
END
$function$;
