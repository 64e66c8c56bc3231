-- The platform on its first day has six communities. Some of them have their own settings.
INSERT INTO communities.communities (id, name)
SELECT ('00000000-0000-0000-0000-00000000000' || n)::uuid,
       (ARRAY['Riverside', 'Hilltop', 'Old Town', 'Harbour', 'Westfield', 'Northgate'])[n]
FROM generate_series(1, 6) AS n;
INSERT INTO communities.settings (community_id, request_ttl_days, reputation_half_life_months)
SELECT id, CASE name WHEN 'Harbour' THEN 21 ELSE 60 END, CASE name WHEN 'Old Town' THEN 3 ELSE 6 END
FROM communities.communities WHERE name <> 'Northgate';
-- Hilltop has a longer window than the default, Harbour a shorter one. Westfield sets only the
-- window of expired requests.
INSERT INTO requests.retention_config
    (community_id, completed_request_window_days, expired_request_window_days, message_window_days)
SELECT id, CASE name WHEN 'Hilltop' THEN 365 WHEN 'Harbour' THEN 90 END,
       CASE name WHEN 'Westfield' THEN 60 WHEN 'Harbour' THEN 14 END, NULL
FROM communities.communities WHERE name IN ('Hilltop', 'Harbour', 'Westfield');

ANALYZE communities.communities, communities.settings, requests.retention_config;
