-- as migrator
-- What the owner of the generated functions may do with app.marker. UPDATE is for row locks, too.
GRANT USAGE ON SCHEMA "app" TO "retention_owner";
GRANT SELECT, INSERT, UPDATE ON "app"."marker" TO "retention_owner";

-- to drop it
DO $function$
BEGIN
    -- Where the owner of the functions is the table's owner, it keeps what it always had.
    IF NOT EXISTS (SELECT FROM pg_class c
                   WHERE c.oid = '"app"."marker"'::regclass AND pg_get_userbyid(c.relowner) = 'retention_owner') THEN
        REVOKE SELECT, INSERT, UPDATE ON "app"."marker" FROM "retention_owner";
    END IF;
END
$function$;
