-- The channels of four chains on the day of the migration. They have a week of the document's
-- volumes: 50 signals, 25 tokens and 125 wallets for each chain. No value is random.
INSERT INTO channel.chain VALUES (501, 'sol'), (1, 'eth'), (56, 'bsc'), (8453, 'base');

INSERT INTO channel.index_stat (chain_id) SELECT chain_id FROM channel.chain;

INSERT INTO channel.signal (chain_id, key, token, sym, scr, mult_now, mult_high, high_at, outcome, t0)
SELECT c.chain_id, 'EARLY' || to_char(n, 'FM000') || '_0', 'Token' || n % 25, 'T' || n % 25, (n % 9) * 0.25,
       (n % 6) * 0.5, 1 + (n * 7 % 40) * 0.25, x.t0 + n * interval '5 minutes',
       (ARRAY['win', 'loss', 'neutral', 'neutral'])[1 + n % 4], x.t0
FROM channel.chain AS c, generate_series(1, 50) AS n,
     LATERAL (SELECT now() - n * interval '3 hours' AS t0) AS x;

INSERT INTO channel.recent_signal (chain_id, key)
SELECT chain_id, key FROM channel.signal ORDER BY t0;

INSERT INTO channel.token (chain_id, addr, sym, first_seen, last_signal_at)
SELECT c.chain_id, 'Token' || n, 'T' || n, now() - n * interval '6 hours', now() - n * interval '3 hours'
FROM channel.chain AS c, generate_series(0, 24) AS n;

INSERT INTO channel.wallet (chain_id, addr, avg_scr, scnt, win_rate, consistency, last_seen)
SELECT c.chain_id, 'Early' || to_char(n, 'FM0000000') || '9xQe', (n % 10) * 0.25, n % 12, n * 37 % 101, n * 53 % 101,
       now() - n * interval '80 minutes'
FROM channel.chain AS c, generate_series(1, 125) AS n;

ANALYZE channel.chain, channel.signal, channel.token, channel.wallet, channel.index_stat, channel.recent_signal;
