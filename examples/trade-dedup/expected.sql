-- What the TTL index of the document would delete right now, counted without anything of pgretain.
SELECT 'processed_trades' AS policy, count(*) AS rows FROM whale.processed_trade WHERE expires_at < now();
