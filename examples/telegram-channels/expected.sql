-- The query counts the rows that the document's clean-up of chain "sol" would archive or remove
-- now. It uses no object of pgretain.
WITH sig AS (
    SELECT *, merged_into IS NULL AND t0 < now() - interval '7 days' AS expired
    FROM channel.signal WHERE chain_id = 501
), wal AS (
    SELECT *, merged_into IS NULL
              AND last_seen < now() - CASE WHEN avg_scr >= 0.5
                                       THEN interval '30 days' ELSE interval '7 days' END AS expired
    FROM channel.wallet WHERE chain_id = 501
)
SELECT 'merged_signals' AS policy, count(*) AS rows FROM sig WHERE merged_into IS NOT NULL
UNION ALL
SELECT 'signals', count(*) FROM sig WHERE expired
UNION ALL
SELECT 'best_signals', greatest(count(*) - 20, 0) FROM sig WHERE expired AND mult_high >= 2
UNION ALL
SELECT 'recent_signals', greatest(count(*) - 100, 0)
FROM channel.recent_signal r
WHERE chain_id = 501 AND NOT EXISTS (SELECT FROM sig WHERE expired AND sig.key = r.key)
UNION ALL
SELECT 'merged_tokens', count(*) FROM channel.token WHERE chain_id = 501 AND merged_into IS NOT NULL
UNION ALL
SELECT 'tokens', count(*)
FROM channel.token k
WHERE chain_id = 501 AND merged_into IS NULL AND first_seen < now() - interval '30 days'
  AND (last_signal_at IS NULL OR last_signal_at < now() - interval '30 days')
  AND NOT EXISTS (SELECT FROM sig s WHERE s.token = k.addr AND NOT coalesce(s.expired, false)
                    AND s.t0 >= now() - interval '30 days')
UNION ALL
SELECT 'merged_wallets', count(*) FROM wal WHERE merged_into IS NOT NULL
UNION ALL
SELECT 'wallets', count(*) FROM wal WHERE expired
UNION ALL
SELECT 'top_wallets', greatest(count(DISTINCT left(addr, 12)) - 50, 0)
FROM wal WHERE expired AND avg_scr >= 1.0 AND scnt >= 3;
