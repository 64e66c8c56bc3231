-- Findings on holds in force whose row no longer exists. There is one finding for each table. Its
-- hint selects these holds, at most the first 50. The finding is "unknown" if the owner cannot read
-- the table.
-- $1: how many of the newest holds are checked
-- $2: the runtime's owner
SELECT x.object, f.severity, f.message, f.detail, f.hint
FROM (SELECT h.table_name AS object, l.fault = 'gone' AS gone, count(*) > 1 AS several,
             count(*) || CASE WHEN count(*) > 1 THEN ' holds' ELSE ' hold' END AS holds, min(h.id) AS id,
             (array_agg(h.match::text ORDER BY h.id))[1] AS key, (array_agg(h.reason ORDER BY h.id))[1] AS reason,
             array_to_string((array_agg(h.id ORDER BY h.id))[1:50], ',') AS ids
      FROM retention._lost_rows($1) l JOIN retention.hold h ON h.id = l.hold_id
      GROUP BY 1, l.fault) x
CROSS JOIN LATERAL (
    SELECT 'drift', format('%s on table "%s" %s no row: it is gone, or has another key', x.holds, x.object,
                           CASE WHEN x.several THEN 'have' ELSE 'has' END),
           format('Hold %s, on %s, was placed for: %s. Find out who deleted or changed it, and look for it in a backup or an archive. Where the row has another key, place a hold on that key before this one is released.',
                  x.id, x.key, x.reason),
           format('SELECT * FROM retention.hold WHERE id IN (%s);', CASE WHEN x.several THEN x.ids ELSE x.id::text END)
    WHERE x.gone
    UNION ALL
    SELECT 'unknown',
           CASE WHEN x.several THEN format('could not determine whether the rows of %s on table "%s" are there',
        x.holds, x.object)
                           ELSE format('could not determine whether the row of %s on table "%s" is there', x.holds,
                               x.object) END,
           format('Role "%s" lacks SELECT on it, or its owner owns no table of a policy.', $2::text),
           format('Grant SELECT on "%s", and USAGE on its schema, to "%s".', x.object, $2::text)
    WHERE NOT x.gone) f (severity, message, detail, hint)
ORDER BY 1, 2
