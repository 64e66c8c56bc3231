CREATE SCHEMA app;
CREATE TABLE app.item (id bigint PRIMARY KEY, at timestamptz NOT NULL);
CREATE TABLE app.note (id bigint PRIMARY KEY, at timestamptz NOT NULL);
CREATE TABLE app.tag (id bigint PRIMARY KEY, at timestamptz NOT NULL);
-- Made by an earlier migration.
CREATE TABLE app.old_note (id bigint PRIMARY KEY, at timestamptz NOT NULL, run_id bigint, gone_at timestamptz NOT NULL);
