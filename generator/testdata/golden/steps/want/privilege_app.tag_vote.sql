-- as migrator
-- What the owner of the generated functions may do with app.tag_vote. UPDATE is for row locks, too.
GRANT SELECT, UPDATE ON app.tag_vote TO retention_owner;
SELECT retention._granted('retention_owner', 'app', 'app.tag_vote', 'SELECT, UPDATE');

-- to drop it
-- A table that is not there any more has taken its privileges along, and an owner keeps its own.
DO $function$
BEGIN
    IF EXISTS (SELECT FROM pg_class c WHERE c.oid = to_regclass('app.tag_vote')
               AND pg_get_userbyid(c.relowner) <> 'retention_owner') THEN
        REVOKE SELECT, UPDATE ON app.tag_vote FROM retention_owner;
    END IF;
END
$function$;
