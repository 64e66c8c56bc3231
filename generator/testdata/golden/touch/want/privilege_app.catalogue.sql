-- as migrator
-- What the owner of the generated functions may do with app.catalogue.
GRANT USAGE ON SCHEMA "app" TO "retention_owner";
GRANT SELECT ON "app"."catalogue" TO "retention_owner";

-- to drop it
DO $function$
BEGIN
    -- Where the owner of the functions is the table's owner, it keeps what it always had.
    IF NOT EXISTS (SELECT FROM pg_class c
                   WHERE c.oid = '"app"."catalogue"'::regclass AND pg_get_userbyid(c.relowner) = 'retention_owner') THEN
        REVOKE SELECT ON "app"."catalogue" FROM "retention_owner";
    END IF;
END
$function$;
