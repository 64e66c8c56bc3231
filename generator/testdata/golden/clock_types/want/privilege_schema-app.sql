-- as migrator
-- Nothing in a schema can be reached without this.
GRANT USAGE ON SCHEMA app TO retention_owner;

-- to drop it
DO $function$
BEGIN
    IF EXISTS (SELECT FROM pg_namespace n WHERE n.nspname = 'app'
               AND pg_get_userbyid(n.nspowner) <> 'retention_owner') THEN
        REVOKE USAGE ON SCHEMA app FROM retention_owner;
    END IF;
END
$function$;
