-- Since when this database is purged; NULL when nobody wrote that down.
SELECT (SELECT i.adopted_at FROM retention.install i)
