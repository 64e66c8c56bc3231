-- as migrator
-- What the owner of the generated functions may do with Se"lect.012345678901234567890123456789012345678901234567890123456789éa. UPDATE is for row locks, too.
GRANT USAGE ON SCHEMA "Se""lect" TO "retention_owner";
GRANT SELECT, UPDATE, DELETE ON "Se""lect"."012345678901234567890123456789012345678901234567890123456789éa" TO "retention_owner";

-- to drop it
DO $function$
BEGIN
    -- Where the owner of the functions is the table's owner, it keeps what it always had.
    IF NOT EXISTS (SELECT FROM pg_class c
                   WHERE c.oid = '"Se""lect"."012345678901234567890123456789012345678901234567890123456789éa"'::regclass AND pg_get_userbyid(c.relowner) = 'retention_owner') THEN
        REVOKE SELECT, UPDATE, DELETE ON "Se""lect"."012345678901234567890123456789012345678901234567890123456789éa" FROM "retention_owner";
    END IF;
END
$function$;
