-- as migrator
-- What the owner of the generated functions may do with app.tag_vote.
GRANT USAGE ON SCHEMA "app" TO "retention_owner";
GRANT SELECT ON "app"."tag_vote" TO "retention_owner";

-- to drop it
REVOKE SELECT ON "app"."tag_vote" FROM "retention_owner";
