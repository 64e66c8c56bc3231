-- as migrator
-- What the owner of the generated functions may do with app.config.
GRANT USAGE ON SCHEMA "app" TO "retention_owner";
GRANT SELECT ON "app"."config" TO "retention_owner";

-- to drop it
REVOKE SELECT ON "app"."config" FROM "retention_owner";
