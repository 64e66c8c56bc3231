-- Returns holds in force whose row no longer exists, one row for each table and fault.
-- $1: how many of the newest holds are checked
-- gone: the rows no longer exist. Otherwise the worker cannot read the table.
-- holds: the number of these holds
-- ids: the first 50 of these holds
-- key, reason: the key and the reason of the first hold
SELECT h.table_name, l.fault = 'gone' AS gone, count(*) AS holds, (array_agg(h.id ORDER BY h.id))[1:50] AS ids,
       (array_agg(h.match::text ORDER BY h.id))[1] AS key, (array_agg(h.reason ORDER BY h.id))[1] AS reason
FROM retention._lost_rows($1) l JOIN retention.hold h ON h.id = l.hold_id
GROUP BY 1, 2
ORDER BY 1, 2
