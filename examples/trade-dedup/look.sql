-- A worker takes a trade up before it processes it. Another one, or the same after a restart, does not get it.
SET ROLE whale_worker;
SELECT retention.processed_trades_claim('0xabc');
SELECT retention.processed_trades_claim('0xabc');
SELECT retention.processed_trades_claim(ARRAY['0xabc', '0xdef', '0xdef', '0x123'], '30 minutes') AS won;
SELECT retention.processed_trades_seen('0xdef');
-- Its cursor moves forward, never back.
SELECT retention.processed_trades_advance('whale_worker_global', 9999999999, '0xdef');
SELECT retention.processed_trades_advance('whale_worker_global', 1234567890, '0xabc');
SELECT * FROM retention.processed_trades_cursor('whale_worker_global');
RESET ROLE;
