-- as migrator
-- What the owner of the generated functions may do with app.attic.
GRANT USAGE ON SCHEMA "app" TO "retention_owner";
GRANT SELECT, INSERT ON "app"."attic" TO "retention_owner";

-- to drop it
REVOKE SELECT, INSERT ON "app"."attic" FROM "retention_owner";
