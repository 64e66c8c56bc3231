-- as migrator
-- What the owner of the generated functions may do with app.daily. UPDATE is for row locks, too.
GRANT USAGE ON SCHEMA "app" TO "retention_owner";
GRANT SELECT, INSERT, UPDATE ON "app"."daily" TO "retention_owner";

-- to drop it
REVOKE SELECT, INSERT, UPDATE ON "app"."daily" FROM "retention_owner";
