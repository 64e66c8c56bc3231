-- as migrator
-- What the owner of the generated functions may do with app.review.
GRANT SELECT ON app.review TO keeper_owner;
SELECT keeper._granted('keeper_owner', 'app', 'app.review', 'SELECT');

-- to drop it
-- A table that is not there any more has taken its privileges along, and an owner keeps its own.
DO $function$
BEGIN
    IF EXISTS (SELECT FROM pg_class c WHERE c.oid = to_regclass('app.review')
               AND pg_get_userbyid(c.relowner) <> 'keeper_owner') THEN
        REVOKE SELECT ON app.review FROM keeper_owner;
    END IF;
END
$function$;
