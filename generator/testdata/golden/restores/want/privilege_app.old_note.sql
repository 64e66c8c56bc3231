-- as migrator
-- What the worker may do with app.old_note.
GRANT SELECT, INSERT, DELETE ON app.old_note TO retention_worker;
SELECT retention._granted('retention_worker', 'app', 'app.old_note', 'SELECT, INSERT, DELETE');

-- to drop it
-- A table that is not there any more has taken its privileges along, and an owner keeps its own.
DO $function$
BEGIN
    IF EXISTS (SELECT FROM pg_class c WHERE c.oid = to_regclass('app.old_note')
               AND pg_get_userbyid(c.relowner) <> 'retention_worker') THEN
        REVOKE SELECT, INSERT, DELETE ON app.old_note FROM retention_worker;
    END IF;
END
$function$;
