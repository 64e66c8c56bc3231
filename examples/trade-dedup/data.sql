-- The worker has processed 900 trades, one each second. Its set has the hashes of the last 15
-- minutes, and its cursor is at the newest trade. No value is random.
INSERT INTO whale.processed_trade (tx_hash, processed_at, expires_at, created_at)
SELECT '0x' || encode(sha256(convert_to('trade ' || n, 'UTF8')), 'hex'), x.at, x.at + interval '15 minutes', x.at
FROM generate_series(1, 900) AS n,
     LATERAL (SELECT now() - n * interval '1 second' AS at) AS x;

INSERT INTO whale.trade_marker
SELECT 'whale_worker_global', extract(epoch FROM now())::bigint - 1,
       '0x' || encode(sha256(convert_to('trade 1', 'UTF8')), 'hex');

ANALYZE whale.processed_trade, whale.trade_marker;
