-- as migrator
-- What the owner of the generated functions may do with app.note. UPDATE is for row locks, too.
GRANT USAGE ON SCHEMA "app" TO "retention_owner";
GRANT SELECT, UPDATE, DELETE ON "app"."note" TO "retention_owner";

-- to drop it
DO $function$
BEGIN
    -- Where the owner of the functions is the table's owner, it keeps what it always had.
    IF NOT EXISTS (SELECT FROM pg_class c
                   WHERE c.oid = '"app"."note"'::regclass AND pg_get_userbyid(c.relowner) = 'retention_owner') THEN
        REVOKE SELECT, UPDATE, DELETE ON "app"."note" FROM "retention_owner";
    END IF;
END
$function$;
