CREATE SCHEMA app;
CREATE TABLE app.message (
    id bigint PRIMARY KEY,
    state text NOT NULL,
    created_at timestamptz NOT NULL,
    body text NOT NULL DEFAULT repeat('x', 150)
) WITH (autovacuum_enabled = off);
CREATE INDEX message_state ON app.message (state);
INSERT INTO app.message SELECT i, 'open', now() FROM generate_series(1, 60000) i;
