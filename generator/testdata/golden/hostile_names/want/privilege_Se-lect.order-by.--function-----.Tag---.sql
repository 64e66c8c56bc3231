-- as migrator
-- What the worker may do with Se"lect.order by. $function$ {{ .Tag }}. UPDATE is for row locks, too.
GRANT SELECT, UPDATE, DELETE ON "Se""lect"."order by. $function$ {{ .Tag }}" TO retention_worker;
SELECT retention._granted('retention_worker', 'Se"lect', '"Se""lect"."order by. $function$ {{ .Tag }}"', 'SELECT, UPDATE, DELETE');

-- to drop it
-- A table that is not there any more has taken its privileges along, and an owner keeps its own.
DO $function1$
BEGIN
    IF EXISTS (SELECT FROM pg_class c WHERE c.oid = to_regclass('"Se""lect"."order by. $function$ {{ .Tag }}"')
               AND pg_get_userbyid(c.relowner) <> 'retention_worker') THEN
        REVOKE SELECT, UPDATE, DELETE ON "Se""lect"."order by. $function$ {{ .Tag }}" FROM retention_worker;
    END IF;
END
$function1$;
