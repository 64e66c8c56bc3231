-- How often keys of a claim policy were asked for and won: a row is what a session counted since "at".
CREATE TABLE IF NOT EXISTS retention.claim (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, policy text NOT NULL, at timestamptz NOT NULL,
    asked bigint NOT NULL, won bigint NOT NULL
);
CREATE INDEX IF NOT EXISTS claim_at ON retention.claim (at);
