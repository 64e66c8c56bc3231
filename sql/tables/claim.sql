-- claim has the statistics of claim policies. A row counts the keys of one session: how many it
-- asked for, and how many it won. It counts them from the time in column "at".
CREATE TABLE IF NOT EXISTS retention.claim (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, policy text NOT NULL, at timestamptz NOT NULL,
    asked bigint NOT NULL, won bigint NOT NULL
);
CREATE INDEX IF NOT EXISTS claim_at ON retention.claim (at);
