CREATE SCHEMA app;
CREATE TABLE app.item (id bigint PRIMARY KEY, at timestamptz NOT NULL);
CREATE TABLE app.note (id bigint PRIMARY KEY, at timestamptz NOT NULL, secret text);
