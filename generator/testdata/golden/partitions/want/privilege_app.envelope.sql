-- as migrator
-- What the owner of the generated functions may do with app.envelope.
GRANT USAGE ON SCHEMA "app" TO "retention_owner";
GRANT SELECT ON "app"."envelope" TO "retention_owner";

-- to drop it
REVOKE SELECT ON "app"."envelope" FROM "retention_owner";
