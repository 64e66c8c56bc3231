-- as_of: 2026-03-01 12:00:00+00

-- table: public.relation_tuple
WITH boundary AS (
    SELECT pg_snapshot_xmin(snapshot) AS xmin FROM relation_tuple_transaction
    WHERE "timestamp" AT TIME ZONE 'UTC' < :as_of - interval '24 hours' ORDER BY "timestamp" DESC, xid DESC LIMIT 1)
SELECT t.* FROM relation_tuple t, boundary b
WHERE NOT t.deleted_xid < b.xmin AND (t.expiration IS NULL OR t.expiration >= :as_of - interval '24 hours');

-- table: public.namespace_config
WITH boundary AS (
    SELECT pg_snapshot_xmin(snapshot) AS xmin FROM relation_tuple_transaction
    WHERE "timestamp" AT TIME ZONE 'UTC' < :as_of - interval '24 hours' ORDER BY "timestamp" DESC, xid DESC LIMIT 1)
SELECT c.* FROM namespace_config c, boundary b WHERE NOT c.deleted_xid < b.xmin;

-- table: public.relation_tuple_transaction
WITH boundary AS (
    SELECT pg_snapshot_xmin(snapshot) AS xmin FROM relation_tuple_transaction
    WHERE "timestamp" AT TIME ZONE 'UTC' < :as_of - interval '24 hours' ORDER BY "timestamp" DESC, xid DESC LIMIT 1)
SELECT x.* FROM relation_tuple_transaction x, boundary b WHERE NOT x.xid < b.xmin;
