-- as migrator
-- What the owner of the generated functions may do with Se"lect.order by. $function$ {{ .Tag }}. UPDATE is for row locks, too.
GRANT USAGE ON SCHEMA "Se""lect" TO "retention_owner";
GRANT SELECT, UPDATE, DELETE ON "Se""lect"."order by. $function$ {{ .Tag }}" TO "retention_owner";

-- to drop it
REVOKE SELECT, UPDATE, DELETE ON "Se""lect"."order by. $function$ {{ .Tag }}" FROM "retention_owner";
