-- as migrator
-- A column that policy loans needs; rows that exist get its default. Takes ACCESS EXCLUSIVE on
-- the table, for a moment only unless the default is volatile. A default that changes counts for new rows.
-- https://www.postgresql.org/docs/current/sql-altertable.html
ALTER TABLE app.loan ADD COLUMN IF NOT EXISTS created_at timestamp DEFAULT (now());
ALTER TABLE app.loan ALTER COLUMN created_at SET DEFAULT (now());

-- to drop it
ALTER TABLE app.loan DROP COLUMN IF EXISTS created_at;
