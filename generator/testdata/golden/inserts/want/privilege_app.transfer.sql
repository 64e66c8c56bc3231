-- as migrator
-- What the owner of the generated functions may do with app.transfer.
GRANT USAGE ON SCHEMA "app" TO "retention_owner";
GRANT SELECT, INSERT ON "app"."transfer" TO "retention_owner";

-- to drop it
REVOKE SELECT, INSERT ON "app"."transfer" FROM "retention_owner";
