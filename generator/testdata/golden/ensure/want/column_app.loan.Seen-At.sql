-- as migrator
-- A column that policy loans needs; rows that exist get its default. Takes ACCESS EXCLUSIVE on
-- the table, for a moment only unless the default is volatile. A default that changes counts for new rows.
-- https://www.postgresql.org/docs/current/sql-altertable.html
ALTER TABLE app.loan ADD COLUMN IF NOT EXISTS "Seen At" numeric(10, 2);
ALTER TABLE app.loan ALTER COLUMN "Seen At" DROP DEFAULT;

-- to drop it
ALTER TABLE app.loan DROP COLUMN IF EXISTS "Seen At";
