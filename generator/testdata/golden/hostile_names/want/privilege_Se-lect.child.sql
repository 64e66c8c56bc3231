-- as migrator
-- What the owner of the generated functions may do with Se"lect.child.
GRANT USAGE ON SCHEMA "Se""lect" TO "retention_owner";
GRANT SELECT, DELETE ON "Se""lect"."child" TO "retention_owner";

-- to drop it
DO $function$
BEGIN
    -- Where the owner of the functions is the table's owner, it keeps what it always had.
    IF NOT EXISTS (SELECT FROM pg_class c
                   WHERE c.oid = '"Se""lect"."child"'::regclass AND pg_get_userbyid(c.relowner) = 'retention_owner') THEN
        REVOKE SELECT, DELETE ON "Se""lect"."child" FROM "retention_owner";
    END IF;
END
$function$;
