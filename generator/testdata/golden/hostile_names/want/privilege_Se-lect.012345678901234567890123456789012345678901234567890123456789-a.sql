-- as migrator
-- What the owner of the generated functions may do with Se"lect.012345678901234567890123456789012345678901234567890123456789éa. UPDATE is for row locks, too.
GRANT SELECT, UPDATE, DELETE ON "Se""lect"."012345678901234567890123456789012345678901234567890123456789éa" TO retention_owner;
SELECT retention._granted('retention_owner', 'Se"lect', '"Se""lect"."012345678901234567890123456789012345678901234567890123456789éa"', 'SELECT, UPDATE, DELETE');

-- to drop it
-- A table that is not there any more has taken its privileges along, and an owner keeps its own.
DO $function$
BEGIN
    IF EXISTS (SELECT FROM pg_class c WHERE c.oid = to_regclass('"Se""lect"."012345678901234567890123456789012345678901234567890123456789éa"')
               AND pg_get_userbyid(c.relowner) <> 'retention_owner') THEN
        REVOKE SELECT, UPDATE, DELETE ON "Se""lect"."012345678901234567890123456789012345678901234567890123456789éa" FROM retention_owner;
    END IF;
END
$function$;
