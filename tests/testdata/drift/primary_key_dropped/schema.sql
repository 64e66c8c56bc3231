CREATE SCHEMA app;
CREATE TABLE app.message (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    kind text NOT NULL,
    created_at timestamptz NOT NULL
);
CREATE INDEX message_newest ON app.message (created_at DESC, id DESC);
