-- Since when this database is purged.
SELECT i.adopted_at FROM retention.install i
