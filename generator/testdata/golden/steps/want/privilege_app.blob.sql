-- as migrator
-- What the owner of the generated functions may do with app.blob.
GRANT USAGE ON SCHEMA "app" TO "retention_owner";
GRANT SELECT, DELETE ON "app"."blob" TO "retention_owner";

-- to drop it
REVOKE SELECT, DELETE ON "app"."blob" FROM "retention_owner";
