-- as migrator
-- What the owner of the generated functions may do with app.tracked. UPDATE is for row locks, too.
GRANT USAGE ON SCHEMA "app" TO "retention_owner";
GRANT SELECT, INSERT, UPDATE, DELETE ON "app"."tracked" TO "retention_owner";

-- to drop it
REVOKE SELECT, INSERT, UPDATE, DELETE ON "app"."tracked" FROM "retention_owner";
