-- as migrator
-- What the owner of the generated functions may do with app.review.
GRANT USAGE ON SCHEMA "app" TO "retention_owner";
GRANT SELECT ON "app"."review" TO "retention_owner";

-- to drop it
REVOKE SELECT ON "app"."review" FROM "retention_owner";
