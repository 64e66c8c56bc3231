-- as_of: 2025-06-01 12:00:00+00

-- table: public.posts
SELECT * FROM public.posts
WHERE channelid NOT LIKE 'gone%'
  AND (createat IS NULL OR createat >= 1748779200000 - 86400000::bigint * CASE
        WHEN channelid IN ('c7', 'c7-in-t30') THEN 7
        WHEN channelid IN ('null-in-t30', 'in-t30', 'c30-in-tkeep') THEN 30
        WHEN channelid IN ('keep-in-t30', 'in-tkeep') THEN 20000
        WHEN channelid IN ('in-t400') THEN 400
        ELSE 365 END);

-- table: public.channelmemberhistory
SELECT * FROM public.channelmemberhistory
WHERE channelid NOT LIKE 'gone%'
  AND (leavetime IS NULL OR leavetime >= 1748779200000 - 86400000::bigint * CASE
        WHEN channelid IN ('c7', 'c7-in-t30') THEN 7
        WHEN channelid IN ('null-in-t30', 'in-t30', 'c30-in-tkeep') THEN 30
        WHEN channelid IN ('keep-in-t30', 'in-tkeep') THEN 20000
        WHEN channelid IN ('in-t400') THEN 400
        ELSE 365 END);

-- table: public.retentionidsfordeletion
SELECT 'Posts' AS tablename, ARRAY[id] AS ids FROM public.posts
WHERE channelid LIKE 'gone%'
   OR createat < 1748779200000 - 86400000::bigint * CASE
        WHEN channelid IN ('c7', 'c7-in-t30') THEN 7
        WHEN channelid IN ('null-in-t30', 'in-t30', 'c30-in-tkeep') THEN 30
        WHEN channelid IN ('keep-in-t30', 'in-tkeep') THEN 20000
        WHEN channelid IN ('in-t400') THEN 400
        ELSE 365 END;
