-- A day later the existing entries have expired. 20,000 trades were added since, 600 of them in the
-- last 10 minutes. Every hundredth claim lasts 2 days. No entry expires within the next 5 minutes.
UPDATE whale.processed_trade
SET processed_at = processed_at - interval '1 day',
    expires_at = expires_at - interval '1 day',
    created_at = created_at - interval '1 day';

INSERT INTO whale.processed_trade (tx_hash, processed_at, expires_at, created_at)
SELECT '0x' || encode(sha256(convert_to('later ' || n, 'UTF8')), 'hex'), x.at,
       x.at + CASE WHEN n % 100 = 0 THEN interval '2 days' ELSE interval '15 minutes' END, x.at
FROM generate_series(1, 20000) AS n,
     LATERAL (SELECT now() - n * CASE WHEN n <= 600 THEN interval '1 second' ELSE interval '2 seconds' END AS at) AS x;

ANALYZE whale.processed_trade;
