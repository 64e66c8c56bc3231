CREATE SCHEMA app;
CREATE TABLE app.trade (hash text PRIMARY KEY, expires_at timestamptz NOT NULL);
CREATE TABLE app.tracked (slug text PRIMARY KEY, kind text, read_at timestamptz NOT NULL, gone boolean NOT NULL DEFAULT false);
CREATE TABLE app.config (kind text PRIMARY KEY, days int);
