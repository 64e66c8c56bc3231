-- as migrator
-- What the owner of the generated functions may do with app.mention.
GRANT USAGE ON SCHEMA "app" TO "retention_owner";
GRANT SELECT ON "app"."mention" TO "retention_owner";

-- to drop it
REVOKE SELECT ON "app"."mention" FROM "retention_owner";
