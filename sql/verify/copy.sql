-- One row when this database is a copy of the one that was installed or adopted: what says so.
SELECT x.why FROM (SELECT retention._copy() AS why) x WHERE x.why IS NOT NULL
