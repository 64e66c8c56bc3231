-- as migrator
-- What the owner of the generated functions may do with app.tag_link.
GRANT USAGE ON SCHEMA "app" TO "retention_owner";
GRANT SELECT ON "app"."tag_link" TO "retention_owner";

-- to drop it
REVOKE SELECT ON "app"."tag_link" FROM "retention_owner";
