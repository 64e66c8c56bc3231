-- The query counts the rows that the TTL index of the document would delete now. It uses no object
-- of pgretain.
SELECT 'processed_trades' AS policy, count(*) AS rows FROM whale.processed_trade WHERE expires_at < now();
