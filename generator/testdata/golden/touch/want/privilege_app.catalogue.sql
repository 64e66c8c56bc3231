-- as migrator
-- What the owner of the generated functions may do with app.catalogue.
GRANT USAGE ON SCHEMA "app" TO "retention_owner";
GRANT SELECT ON "app"."catalogue" TO "retention_owner";

-- to drop it
REVOKE SELECT ON "app"."catalogue" FROM "retention_owner";
