-- A day later. What was there has expired; since then 20,000 trades more, 600 of them in the last
-- ten minutes. Every hundredth was claimed for two days. Nothing expires in the next five
-- minutes.
UPDATE whale.processed_trade
SET processed_at = processed_at - interval '1 day', expires_at = expires_at - interval '1 day', created_at = created_at - interval '1 day';

INSERT INTO whale.processed_trade (tx_hash, processed_at, expires_at, created_at)
SELECT '0x' || encode(sha256(convert_to('later ' || n, 'UTF8')), 'hex'), x.at,
       x.at + CASE WHEN n % 100 = 0 THEN interval '2 days' ELSE interval '15 minutes' END, x.at
FROM generate_series(1, 20000) AS n,
     LATERAL (SELECT now() - n * CASE WHEN n <= 600 THEN interval '1 second' ELSE interval '2 seconds' END AS at) AS x;

ANALYZE whale.processed_trade;
