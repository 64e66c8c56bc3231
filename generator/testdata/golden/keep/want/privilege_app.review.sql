-- as migrator
-- What the worker may do with app.review.
GRANT SELECT ON app.review TO retention_worker;
SELECT retention._granted('retention_worker', 'app', 'app.review', 'SELECT');

-- to drop it
-- A table that is not there any more has taken its privileges along, and an owner keeps its own.
DO $function$
BEGIN
    IF EXISTS (SELECT FROM pg_class c WHERE c.oid = to_regclass('app.review')
               AND pg_get_userbyid(c.relowner) <> 'retention_worker') THEN
        REVOKE SELECT ON app.review FROM retention_worker;
    END IF;
END
$function$;
