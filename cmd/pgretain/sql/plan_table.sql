-- Parameter: $1 table of a policy. Returns the planner's estimate of its rows, which is NULL if the
-- table was never analyzed. Also returns its size in bytes with indexes and TOAST. Partitions are
-- included.
SELECT retention._estimated_rows(t.oid),
       (SELECT sum(pg_total_relation_size(d))::bigint FROM retention._descendants(ARRAY[t.oid]) d)
FROM retention._table($1) t (oid);
