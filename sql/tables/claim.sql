-- How often the keys of a claim policy were asked for and won, for the rate of duplicates. A row is
-- what one session counted from "at" on, for a minute at most; see _count_claims. Purged after
-- install.claim_window.
CREATE TABLE IF NOT EXISTS retention.claim (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    policy text NOT NULL,
    at timestamptz NOT NULL,
    asked bigint NOT NULL,
    won bigint NOT NULL
);
CREATE INDEX IF NOT EXISTS claim_at ON retention.claim (at);
