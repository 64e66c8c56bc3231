-- Returns every third full hour of the last 24 hours, with its position in the chart of lanes.sql.
SELECT floor(720 - extract(epoch FROM now() - h.at) / 120)::integer AS x, to_char(h.at, 'HH24:MI') AS name
FROM generate_series(date_trunc('hour', now() - interval '23 hours'), now(), interval '1 hour') h (at)
WHERE extract(hour FROM h.at)::integer % 3 = 0
ORDER BY 1
