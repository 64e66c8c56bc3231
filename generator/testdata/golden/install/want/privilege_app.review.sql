-- as migrator
-- What the owner of the generated functions may do with app.review.
GRANT USAGE ON SCHEMA "app" TO "keeper_owner";
GRANT SELECT ON "app"."review" TO "keeper_owner";

-- to drop it
DO $function$
BEGIN
    -- Where the owner of the functions is the table's owner, it keeps what it always had.
    IF NOT EXISTS (SELECT FROM pg_class c
                   WHERE c.oid = '"app"."review"'::regclass AND pg_get_userbyid(c.relowner) = 'keeper_owner') THEN
        REVOKE SELECT ON "app"."review" FROM "keeper_owner";
    END IF;
END
$function$;
