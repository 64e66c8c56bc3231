CREATE SCHEMA app;
CREATE TABLE app.seconds (id bigint PRIMARY KEY, at bigint NOT NULL);
CREATE TABLE app.some (id bigint PRIMARY KEY, at bigint NOT NULL);
CREATE TABLE app.never (id bigint PRIMARY KEY, until timestamptz NOT NULL);
CREATE TABLE app.words (id bigint PRIMARY KEY, until bigint NOT NULL);
CREATE TABLE app.meant (id bigint PRIMARY KEY, until timestamptz DEFAULT now());
