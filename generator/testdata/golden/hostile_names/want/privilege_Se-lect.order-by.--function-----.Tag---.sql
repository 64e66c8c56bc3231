-- as migrator
-- What the owner of the generated functions may do with Se"lect.order by. $function$ {{ .Tag }}. UPDATE is for row locks, too.
GRANT USAGE ON SCHEMA "Se""lect" TO "retention_owner";
GRANT SELECT, UPDATE, DELETE ON "Se""lect"."order by. $function$ {{ .Tag }}" TO "retention_owner";

-- to drop it
DO $function1$
BEGIN
    -- Where the owner of the functions is the table's owner, it keeps what it always had.
    IF NOT EXISTS (SELECT FROM pg_class c
                   WHERE c.oid = '"Se""lect"."order by. $function$ {{ .Tag }}"'::regclass AND pg_get_userbyid(c.relowner) = 'retention_owner') THEN
        REVOKE SELECT, UPDATE, DELETE ON "Se""lect"."order by. $function$ {{ .Tag }}" FROM "retention_owner";
    END IF;
END
$function1$;
