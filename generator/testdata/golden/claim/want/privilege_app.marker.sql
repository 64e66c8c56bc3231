-- as migrator
-- What the owner of the generated functions may do with app.marker. UPDATE is for row locks, too.
GRANT USAGE ON SCHEMA "app" TO "retention_owner";
GRANT SELECT, INSERT, UPDATE ON "app"."marker" TO "retention_owner";

-- to drop it
REVOKE SELECT, INSERT, UPDATE ON "app"."marker" FROM "retention_owner";
