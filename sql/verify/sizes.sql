-- How much room tables take, with their indexes and TOAST. $1: numbers; $2: as many oids. One row per
-- number: that of its tables together. Waits for whoever has a table to himself.
SELECT o.n, pg_size_pretty(coalesce(sum(pg_total_relation_size(o.oid)), 0))
FROM unnest($1::integer[], $2::oid[]) AS o (n, oid)
GROUP BY 1
ORDER BY 1
