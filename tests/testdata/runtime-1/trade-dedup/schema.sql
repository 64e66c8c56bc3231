-- What the worker remembers: how far it is, and which trades it has taken up lately.
CREATE SCHEMA whale;

-- "whaleAlertCursors": one row, 'whale_worker_global'.
CREATE TABLE whale.trade_marker (
    id text PRIMARY KEY,
    last_processed_timestamp bigint,     -- seconds, as the API has them
    last_processed_tx_hash text
);

-- "processedTrades": the deduplication set.
CREATE TABLE whale.processed_trade (
    tx_hash text PRIMARY KEY,
    processed_at timestamptz NOT NULL,   -- when a worker took it up, ahead of the work itself
    expires_at timestamptz NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now()
);
