CREATE SCHEMA app;
CREATE TABLE app.a (id bigint PRIMARY KEY, at timestamptz NOT NULL);
CREATE TABLE app.b (id bigint PRIMARY KEY, at timestamptz NOT NULL);
CREATE TABLE app.c (id bigint PRIMARY KEY, at timestamptz NOT NULL);
