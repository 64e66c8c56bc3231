-- A worker claims a trade before it processes it. No other claim of that trade succeeds, also not
-- after a restart.
SET ROLE whale_worker;
SELECT retention.processed_trades_claim('0xabc');
SELECT retention.processed_trades_claim('0xabc');
SELECT retention.processed_trades_claim(ARRAY['0xabc', '0xdef', '0xdef', '0x123'], '30 minutes') AS won;
SELECT retention.processed_trades_seen('0xdef');
-- The cursor only moves forward.
SELECT retention.processed_trades_advance('whale_worker_global', 9999999999, '0xdef');
SELECT retention.processed_trades_advance('whale_worker_global', 1234567890, '0xabc');
SELECT * FROM retention.processed_trades_cursor('whale_worker_global');
RESET ROLE;
