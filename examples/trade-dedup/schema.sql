-- The state of the worker: its cursor, and the trades that it claimed recently.
CREATE SCHEMA whale;

-- "whaleAlertCursors": one row, 'whale_worker_global'.
CREATE TABLE whale.trade_marker (
    id text PRIMARY KEY,
    last_processed_timestamp bigint, -- Unix time in seconds, as in the API
    last_processed_tx_hash text
);

-- "processedTrades": the deduplication set.
CREATE TABLE whale.processed_trade (
    tx_hash text PRIMARY KEY,
    processed_at timestamptz NOT NULL, -- time of the claim, before the worker processes the trade
    expires_at timestamptz NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now()
);
