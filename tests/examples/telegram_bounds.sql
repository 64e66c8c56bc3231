-- One record for every combination of NULL and of values on, just below and just above the bounds
-- of the rules. :as_of is the time of the job.
INSERT INTO channel.signal (chain_id, key, sym, scr, mult_now, mult_high, high_at, outcome, t0)
SELECT chain_id, format('%s/%s/%s/%s', age, scr, mult, outcome), 'S', scr, mult, mult, t0 + interval '1 hour',
       outcome, t0
FROM unnest(ARRAY[501, 1]) AS chain_id,
     unnest(ARRAY[NULL, 0.999, 1, 1.001]) AS scr,
     unnest(ARRAY[NULL, 1.999, 2, 2.001]) AS mult,
     unnest(ARRAY[NULL, 'win', 'loss', 'neutral']) AS outcome,
     unnest(ARRAY[NULL, -1, 0, 1]) AS age,
     LATERAL (SELECT :as_of - interval '7 days' + age * interval '1 microsecond' AS t0) AS x;

INSERT INTO channel.recent_signal (chain_id, key) SELECT chain_id, key FROM channel.signal ORDER BY md5(key), chain_id;

INSERT INTO channel.token (chain_id, addr, sym, first_seen, last_signal_at)
SELECT chain_id, format('%s/%s/%s', first, last, live), 'T',
       :as_of - interval '30 days' + first * interval '1 microsecond',
       :as_of - interval '30 days' + last * interval '1 microsecond'
FROM unnest(ARRAY[501, 1]) AS chain_id,
     unnest(ARRAY[NULL, -1, 0, 1]) AS first,
     unnest(ARRAY[NULL, -1, 0, 1]) AS last,
     unnest(ARRAY[NULL, 'live', 'undated', 'elsewhere']) AS live;
-- Tokens named "live" have a signal of their own, "undated" a signal without a clock, and
-- "elsewhere" a signal on another chain.
INSERT INTO channel.signal (chain_id, key, token, sym, t0)
SELECT CASE WHEN addr ~ 'elsewhere' THEN 56 ELSE chain_id END, 'of ' || chain_id || ' ' || addr, addr, 'S',
       CASE WHEN addr !~ 'undated' THEN :as_of END
FROM channel.token WHERE addr ~ 'live|undated|elsewhere';

INSERT INTO channel.wallet (chain_id, addr, avg_scr, scnt, last_seen)
SELECT chain_id, to_char(row_number() OVER (), 'FM000000000000') || 'x', score, scnt,
       :as_of - days * interval '1 day' + age * interval '1 microsecond'
FROM unnest(ARRAY[501, 1]) AS chain_id,
     unnest(ARRAY[NULL, 0.499, 0.5, 0.501, 0.999, 1, 1.001]) AS score,
     unnest(ARRAY[NULL, 2, 3, 4]) AS scnt,
     unnest(ARRAY[7, 30]) AS days,
     unnest(ARRAY[NULL, -1, 0, 1]) AS age,
     generate_series(1, CASE WHEN score >= 1 AND scnt >= 3 AND days = 30 AND age = -1 THEN 15 ELSE 1 END);
