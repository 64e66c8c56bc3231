-- as migrator
-- What the owner of the generated functions may do with Se"lect.child.
GRANT USAGE ON SCHEMA "Se""lect" TO "retention_owner";
GRANT SELECT, DELETE ON "Se""lect"."child" TO "retention_owner";

-- to drop it
REVOKE SELECT, DELETE ON "Se""lect"."child" FROM "retention_owner";
