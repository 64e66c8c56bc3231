-- as migrator
-- What the owner of the generated functions may do with app.review.
GRANT USAGE ON SCHEMA "app" TO "keeper_owner";
GRANT SELECT ON "app"."review" TO "keeper_owner";

-- to drop it
REVOKE SELECT ON "app"."review" FROM "keeper_owner";
