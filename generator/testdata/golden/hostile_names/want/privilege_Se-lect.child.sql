-- as migrator
-- What the owner of the generated functions may do with Se"lect.child. UPDATE is for row locks.
GRANT USAGE ON SCHEMA "Se""lect" TO "retention_owner";
GRANT SELECT, UPDATE, DELETE ON "Se""lect"."child" TO "retention_owner";

-- to drop it
REVOKE SELECT, UPDATE, DELETE ON "Se""lect"."child" FROM "retention_owner";
