-- Tables with "expiring" and "expires": an expiring row without a time has expired.
CREATE TABLE core_user (
    id integer PRIMARY KEY,
    username text NOT NULL UNIQUE,
    attributes jsonb NOT NULL DEFAULT '{}'
);
CREATE TABLE core_session (
    session_key text PRIMARY KEY,
    expires timestamptz,
    expiring boolean NOT NULL DEFAULT true
);
CREATE TABLE core_authenticatedsession (
    session_key text PRIMARY KEY REFERENCES core_session ON DELETE CASCADE,
    user_id integer NOT NULL REFERENCES core_user ON DELETE CASCADE
);
CREATE INDEX ON core_authenticatedsession (user_id);
CREATE TABLE core_token (
    token_uuid uuid PRIMARY KEY,
    user_id integer NOT NULL REFERENCES core_user ON DELETE CASCADE,
    intent text NOT NULL,
    key text NOT NULL,
    expires timestamptz,
    expiring boolean NOT NULL DEFAULT true
);
CREATE INDEX ON core_token (user_id);
CREATE TABLE policies_reputation (
    id integer PRIMARY KEY,
    score bigint NOT NULL,
    expires timestamptz,
    expiring boolean NOT NULL DEFAULT true
);
