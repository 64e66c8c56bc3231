-- as migrator
-- What the owner of the generated functions may do with app.detached. UPDATE is for row locks, too.
GRANT USAGE ON SCHEMA "app" TO "retention_owner";
GRANT SELECT, UPDATE, DELETE ON "app"."detached" TO "retention_owner";

-- to drop it
REVOKE SELECT, UPDATE, DELETE ON "app"."detached" FROM "retention_owner";
