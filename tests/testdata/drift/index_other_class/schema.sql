CREATE SCHEMA app;
CREATE TABLE app.message (
    id text PRIMARY KEY,
    queue text NOT NULL,
    created_at timestamptz NOT NULL
);
