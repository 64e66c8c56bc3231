-- as migrator
-- What the owner of the generated functions may do with app.owner.
GRANT USAGE ON SCHEMA "app" TO "retention_owner";
GRANT SELECT ON "app"."owner" TO "retention_owner";

-- to drop it
REVOKE SELECT ON "app"."owner" FROM "retention_owner";
