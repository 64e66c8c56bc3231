-- How large tables are. $1: oids. One row per table: its oid, bytes, and rows by the statistics, -1
-- where there are none.
SELECT c.oid, coalesce(pg_relation_size(c.oid), 0),
       CASE WHEN c.reltuples < 0 THEN -1
            WHEN c.relpages = 0 THEN c.reltuples
            ELSE c.reltuples / c.relpages * pg_relation_size(c.oid) / current_setting('block_size')::integer
       END::bigint
FROM pg_class c WHERE c.oid = ANY ($1::oid[])
