-- The Telegram channels as tables. A table with chain_id replaces the channels of one type, such as
-- "signals-sol" and "signals-eth". The index record is a table of counters and three lists. The
-- table channel.archive replaces the channel "archive-all". The views at the end show index and
-- archive in the application's format.
CREATE SCHEMA channel;

CREATE TABLE channel.chain (
    chain_id integer PRIMARY KEY,
    name text NOT NULL UNIQUE
);

CREATE TABLE channel.signal (
    chain_id integer NOT NULL REFERENCES channel.chain,
    key text NOT NULL,
    token text,                     -- address of the token
    sym text NOT NULL,
    scr numeric,
    mult_now numeric,
    mult_high numeric,
    high_at timestamptz,
    outcome text CHECK (outcome IN ('win', 'loss', 'neutral')),
    t0 timestamptz, -- time of the signal; a signal without it never expires
    merged_into text, -- key of the signal that this row duplicates
    PRIMARY KEY (chain_id, key)
);
CREATE INDEX signal_token ON channel.signal (chain_id, token, t0);

CREATE TABLE channel.token (
    chain_id integer NOT NULL REFERENCES channel.chain,
    addr text NOT NULL,
    sym text NOT NULL,
    first_seen timestamptz,
    last_signal_at timestamptz, -- time of the newest signal; signals are deleted after 7 days
    merged_into text,
    PRIMARY KEY (chain_id, addr)
);

CREATE TABLE channel.wallet (
    chain_id integer NOT NULL REFERENCES channel.chain,
    addr text NOT NULL,
    avg_scr numeric,
    scnt integer, -- number of signals with this wallet
    win_rate numeric,
    consistency numeric,
    last_seen timestamptz,
    merged_into text,
    PRIMARY KEY (chain_id, addr)
);

-- The index: counters of all archived records.
CREATE TABLE channel.index_stat (
    chain_id integer PRIMARY KEY REFERENCES channel.chain,
    last_update timestamptz,
    total_sigs bigint,
    total_toks bigint,
    total_wals bigint,
    total_wins bigint,
    total_losses bigint,
    total_neutral bigint,
    high_score_wins bigint,
    high_score_total bigint,
    low_score_wins bigint,
    low_score_total bigint
);

-- index.lastSigs: the keys with which the application compares new signals.
CREATE TABLE channel.recent_signal (
    seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    chain_id integer NOT NULL REFERENCES channel.chain,
    key text NOT NULL
);
CREATE INDEX recent_signal_key ON channel.recent_signal (chain_id, key);

-- index.bestSigs
CREATE TABLE channel.best_signal (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    chain_id integer NOT NULL REFERENCES channel.chain,
    key text NOT NULL,
    sym text NOT NULL,
    mult_high numeric NOT NULL,
    scr numeric,
    t0 timestamptz NOT NULL,
    run_id bigint NOT NULL -- the run that inserted the row
);

-- index.topWals: by the first twelve characters of the address.
CREATE TABLE channel.top_wallet (
    chain_id integer NOT NULL REFERENCES channel.chain,
    addr12 text NOT NULL,
    avg_scr numeric NOT NULL,
    scnt integer NOT NULL,
    win_rate numeric,
    consistency numeric,
    first_run bigint NOT NULL, -- the run that first inserted the wallet
    since timestamptz NOT NULL, -- last_seen at that time; first_run and since order wallets of equal score
    PRIMARY KEY (chain_id, addr12)
);

CREATE TABLE channel.archive (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    kind text NOT NULL CHECK (kind IN ('signals', 'tokens', 'wallets')),
    key text NOT NULL,
    chain_id integer NOT NULL REFERENCES channel.chain,
    reason text NOT NULL CHECK (reason IN ('expired', 'manual', 'merged')),
    note text, -- reason of a run by hand
    run_id bigint NOT NULL,
    archived_at timestamptz NOT NULL,
    record jsonb NOT NULL, -- the archived row
    final jsonb -- final statistics of a signal
);
CREATE INDEX archive_kind_reason ON channel.archive (kind, reason);
CREATE INDEX archive_archived_at ON channel.archive (archived_at);

-- A message of the channel "archive-all". Tags such as "#archived_signals" and "#reason_expired"
-- can be searched.
CREATE VIEW channel.archive_message AS
SELECT a.id,
       '#archived_' || a.kind || E'\n#reason_' || a.reason AS tags,
       a.record || coalesce(a.final, '{}') || jsonb_build_object(
           '_archived', floor(extract(epoch FROM a.archived_at) * 1000),
           '_reason', a.reason,
           '_originalType', a.kind,
           '_originalKey', a.key,
           '_chain', c.name) AS record
FROM channel.archive a
JOIN channel.chain c USING (chain_id);

-- The index record of a chain. The tables have the keys of live records.
CREATE VIEW channel.index_record AS
SELECT c.chain_id, jsonb_build_object(
    'c', c.chain_id,
    'lastUpdate', floor(extract(epoch FROM i.last_update)),
    'lastSigs', (SELECT coalesce(jsonb_agg(r.key ORDER BY r.seq), '[]')
                 FROM channel.recent_signal r WHERE r.chain_id = c.chain_id),
    'totalSigs', coalesce(i.total_sigs, 0),
    'totalToks', coalesce(i.total_toks, 0),
    'totalWals', coalesce(i.total_wals, 0),
    'totalWins', coalesce(i.total_wins, 0),
    'totalLosses', coalesce(i.total_losses, 0),
    'totalNeutral', coalesce(i.total_neutral, 0),
    'scoreCorrelation', jsonb_build_object(
        'highScoreWins', coalesce(i.high_score_wins, 0),
        'highScoreTotal', coalesce(i.high_score_total, 0),
        'lowScoreWins', coalesce(i.low_score_wins, 0),
        'lowScoreTotal', coalesce(i.low_score_total, 0)),
    'topWals', (SELECT coalesce(jsonb_agg(jsonb_build_array(w.addr12, w.avg_scr, w.scnt, w.win_rate, w.consistency)
                                          ORDER BY w.avg_scr DESC, w.first_run, w.since, w.addr12), '[]')
                FROM channel.top_wallet w WHERE w.chain_id = c.chain_id),
    'bestSigs', (SELECT coalesce(jsonb_agg(jsonb_build_array(b.sym, b.mult_high, b.scr, floor(extract(epoch FROM b.t0)))
                                           ORDER BY b.mult_high DESC, b.run_id, b.t0, b.key, b.id), '[]')
                 FROM channel.best_signal b WHERE b.chain_id = c.chain_id),
    'signalKeys', (SELECT coalesce(jsonb_agg(s.key ORDER BY s.key), '[]')
                   FROM channel.signal s WHERE s.chain_id = c.chain_id),
    'tokenKeys', (SELECT coalesce(jsonb_agg(k.addr ORDER BY k.addr), '[]')
                  FROM channel.token k WHERE k.chain_id = c.chain_id),
    'walletKeys', (SELECT coalesce(jsonb_agg(w.addr ORDER BY w.addr), '[]')
                   FROM channel.wallet w WHERE w.chain_id = c.chain_id)) AS record
FROM channel.chain c
LEFT JOIN channel.index_stat i USING (chain_id);
