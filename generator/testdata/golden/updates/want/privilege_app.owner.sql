-- as migrator
-- What the owner of the generated functions may do with app.owner. UPDATE is for row locks, too.
GRANT USAGE ON SCHEMA "app" TO "retention_owner";
GRANT SELECT, UPDATE ON "app"."owner" TO "retention_owner";

-- to drop it
REVOKE SELECT, UPDATE ON "app"."owner" FROM "retention_owner";
