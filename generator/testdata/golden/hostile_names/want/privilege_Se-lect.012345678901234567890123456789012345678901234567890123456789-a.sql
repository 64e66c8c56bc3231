-- as migrator
-- What the worker may do with Se"lect.012345678901234567890123456789012345678901234567890123456789éa. UPDATE is for row locks, too.
GRANT SELECT, UPDATE, DELETE ON "Se""lect"."012345678901234567890123456789012345678901234567890123456789éa" TO retention_worker;
SELECT retention._granted('retention_worker', 'Se"lect', '"Se""lect"."012345678901234567890123456789012345678901234567890123456789éa"', 'SELECT, UPDATE, DELETE');

-- to drop it
-- A table that is not there any more has taken its privileges along, and an owner keeps its own.
DO $function$
BEGIN
    IF EXISTS (SELECT FROM pg_class c WHERE c.oid = to_regclass('"Se""lect"."012345678901234567890123456789012345678901234567890123456789éa"')
               AND pg_get_userbyid(c.relowner) <> 'retention_worker') THEN
        REVOKE SELECT, UPDATE, DELETE ON "Se""lect"."012345678901234567890123456789012345678901234567890123456789éa" FROM retention_worker;
    END IF;
END
$function$;
