-- as owner
-- Nothing in a schema can be reached without this.
GRANT USAGE ON SCHEMA retention TO app;

-- to drop it
DO $function$
BEGIN
    IF EXISTS (SELECT FROM pg_namespace n WHERE n.nspname = 'retention' AND pg_get_userbyid(n.nspowner) <> 'app') THEN
        REVOKE USAGE ON SCHEMA retention FROM app;
    END IF;
END
$function$;
