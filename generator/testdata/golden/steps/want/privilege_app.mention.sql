-- as migrator
-- What the owner of the generated functions may do with app.mention.
GRANT USAGE ON SCHEMA "app" TO "retention_owner";
GRANT SELECT ON "app"."mention" TO "retention_owner";

-- to drop it
DO $function$
BEGIN
    -- Where the owner of the functions is the table's owner, it keeps what it always had.
    IF NOT EXISTS (SELECT FROM pg_class c
                   WHERE c.oid = '"app"."mention"'::regclass AND pg_get_userbyid(c.relowner) = 'retention_owner') THEN
        REVOKE SELECT ON "app"."mention" FROM "retention_owner";
    END IF;
END
$function$;
