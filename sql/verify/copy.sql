-- Returns why this database is a copy of the one that was installed or adopted. It returns no row
-- if the database is no copy.
SELECT x.why FROM (SELECT retention._copy() AS why) x WHERE x.why IS NOT NULL
