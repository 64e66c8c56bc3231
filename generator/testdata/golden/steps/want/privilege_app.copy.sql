-- as migrator
-- What the owner of the generated functions may do with app.copy.
GRANT USAGE ON SCHEMA "app" TO "retention_owner";
GRANT SELECT ON "app"."copy" TO "retention_owner";

-- to drop it
REVOKE SELECT ON "app"."copy" FROM "retention_owner";
