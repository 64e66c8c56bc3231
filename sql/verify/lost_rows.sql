-- Holds in force whose row is gone. $1: how many of the newest are looked at. One row per table and fault: the fault, how
-- many holds, of the first its number, key and reason, and all numbers.
SELECT h.table_name, l.fault, count(*), min(h.id), (array_agg(h.match::text ORDER BY h.id))[1],
       (array_agg(h.reason ORDER BY h.id))[1], array_agg(h.id ORDER BY h.id)
FROM retention._lost_rows($1) l JOIN retention.hold h ON h.id = l.hold_id
GROUP BY 1, 2
ORDER BY 1, 2
