-- Returns a finding if this database is a copy of the one that was installed or adopted.
SELECT 1 AS place, 'the database is a copy, and no run starts in it' AS message, x.why AS got,
       'Adopt it only if rows are to be deleted here.' AS detail, 'SELECT retention.adopt(''why'');' AS hint
FROM (SELECT retention._copy() AS why) x WHERE x.why IS NOT NULL
