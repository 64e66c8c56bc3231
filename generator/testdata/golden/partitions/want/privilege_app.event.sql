-- as migrator
-- What the owner of the generated functions may do with app.event.
GRANT USAGE ON SCHEMA "app" TO "retention_owner";
GRANT SELECT ON "app"."event" TO "retention_owner";

-- to drop it
REVOKE SELECT ON "app"."event" FROM "retention_owner";
