CREATE SCHEMA app;
CREATE TABLE app.message (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    body text NOT NULL
);
CREATE TABLE app.attachment (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    message_id bigint NOT NULL REFERENCES app.message ON DELETE CASCADE
);
CREATE INDEX attachment_message ON app.attachment (message_id);
CREATE TABLE app.session (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    state text NOT NULL,
    expires_at timestamptz
);
CREATE TABLE app.watch (session_id bigint NOT NULL);
CREATE TABLE app.ledger (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    message_id bigint NOT NULL
);
CREATE TABLE app.unnamed (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    message_id bigint NOT NULL
);
