-- as migrator
-- Nothing in a schema can be reached without this.
GRANT USAGE ON SCHEMA app TO retention_worker;

-- to drop it
DO $function$
BEGIN
    IF EXISTS (SELECT FROM pg_namespace n WHERE n.nspname = 'app'
               AND pg_get_userbyid(n.nspowner) <> 'retention_worker') THEN
        REVOKE USAGE ON SCHEMA app FROM retention_worker;
    END IF;
END
$function$;
