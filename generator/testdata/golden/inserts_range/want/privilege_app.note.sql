-- as migrator
-- What the owner of the generated functions may do with app.note. UPDATE is for row locks, too.
GRANT USAGE ON SCHEMA "app" TO "retention_owner";
GRANT SELECT, INSERT, UPDATE, DELETE ON "app"."note" TO "retention_owner";

-- to drop it
REVOKE SELECT, INSERT, UPDATE, DELETE ON "app"."note" FROM "retention_owner";
