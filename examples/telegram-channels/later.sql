-- A month later the existing records are older, and each chain has 200 more signals, 100 tokens and
-- 500 wallets. These are the document's volumes for a month. Ages are multiples of five minutes
-- plus 30 minutes. Therefore no more rows become due within the next 15 minutes.
UPDATE channel.signal SET t0 = t0 - interval '30 days 30 minutes', high_at = high_at - interval '30 days 30 minutes';
UPDATE channel.token SET first_seen = first_seen - interval '30 days 30 minutes',
    last_signal_at = last_signal_at - interval '30 days 30 minutes';
UPDATE channel.wallet SET last_seen = last_seen - interval '30 days 30 minutes';

INSERT INTO channel.signal (chain_id, key, token, sym, scr, mult_now, mult_high, high_at, outcome, t0)
SELECT c.chain_id, 'SIG' || to_char(n, 'FM000') || '_0', 'Token' || 25 + n % 60, 'T' || 25 + n % 60,
       CASE WHEN n % 11 > 0 THEN (n % 9) * 0.25 END,
       (n % 6) * 0.5, 1 + (n * 7 % 60) * 0.25, x.t0 + n * interval '5 minutes',
       (ARRAY['win', 'loss', 'neutral', 'neutral'])[1 + n % 4], x.t0
FROM channel.chain AS c, generate_series(1, 200) AS n,
     LATERAL (SELECT now() - interval '30 minutes' - n * interval '3 hours' AS t0) AS x;

-- Many signals of one night on one chain.
INSERT INTO channel.signal (chain_id, key, token, sym, scr, mult_now, mult_high, t0)
SELECT 501, 'BUSY' || to_char(n, 'FM000') || '_0', 'Token30', 'T30', 0.5, 1, 1,
       now() - interval '30 minutes' - n * interval '5 minutes'
FROM generate_series(1, 60) AS n;

INSERT INTO channel.recent_signal (chain_id, key)
SELECT chain_id, key FROM channel.signal WHERE key !~ '^EARLY' ORDER BY t0;

-- Every other early token had no more signals. New tokens have signals, except every tenth.
UPDATE channel.token SET last_signal_at = now() - interval '10 days 30 minutes'
WHERE right(addr, 1) IN ('0', '2', '4', '6', '8');
INSERT INTO channel.token (chain_id, addr, sym, first_seen, last_signal_at)
SELECT c.chain_id, 'Token' || n, 'T' || n, now() - interval '30 minutes' - n * interval '6 hours',
       CASE WHEN n % 10 > 0 THEN now() - interval '30 minutes' - n * interval '5 hours' END
FROM channel.chain AS c, generate_series(25, 124) AS n;

INSERT INTO channel.wallet (chain_id, addr, avg_scr, scnt, win_rate, consistency, last_seen)
SELECT c.chain_id, 'Wallet' || to_char(n, 'FM000000') || '7vNc',
       CASE WHEN n % 13 > 0 THEN (n % 10) * 0.2 END, n % 12, n * 37 % 101, n * 53 % 101,
       now() - interval '30 minutes' - n * interval '85 minutes'
FROM channel.chain AS c, generate_series(1, 500) AS n;

-- Two merged duplicates, and three records without a clock.
UPDATE channel.signal SET merged_into = 'SIG002_0' WHERE key = 'SIG001_0' AND chain_id = 501;
UPDATE channel.wallet SET merged_into = 'Wallet0000027vNc' WHERE addr = 'Wallet0000017vNc' AND chain_id = 501;
UPDATE channel.signal SET t0 = NULL WHERE key = 'SIG003_0' AND chain_id = 501;
UPDATE channel.token SET first_seen = NULL WHERE addr = 'Token33' AND chain_id = 1;
UPDATE channel.wallet SET last_seen = NULL WHERE addr = 'Wallet0000037vNc' AND chain_id = 8453;

ANALYZE channel.signal, channel.token, channel.wallet, channel.recent_signal;
