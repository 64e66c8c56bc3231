-- as migrator
-- What the owner of the generated functions may do with app.loan.
GRANT USAGE ON SCHEMA "app" TO "retention_owner";
GRANT SELECT, INSERT, DELETE ON "app"."loan" TO "retention_owner";

-- to drop it
REVOKE SELECT, INSERT, DELETE ON "app"."loan" FROM "retention_owner";
