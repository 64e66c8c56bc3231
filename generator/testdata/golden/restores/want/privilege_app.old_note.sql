-- as migrator
-- What the owner of the generated functions may do with app.old_note.
GRANT SELECT, INSERT, DELETE ON app.old_note TO retention_owner;
SELECT retention._granted('retention_owner', 'app', 'app.old_note', 'SELECT, INSERT, DELETE');

-- to drop it
-- A table that is not there any more has taken its privileges along, and an owner keeps its own.
DO $function$
BEGIN
    IF EXISTS (SELECT FROM pg_class c WHERE c.oid = to_regclass('app.old_note')
               AND pg_get_userbyid(c.relowner) <> 'retention_owner') THEN
        REVOKE SELECT, INSERT, DELETE ON app.old_note FROM retention_owner;
    END IF;
END
$function$;
