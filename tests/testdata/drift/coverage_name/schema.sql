CREATE SCHEMA app;
CREATE SCHEMA billing;
CREATE TABLE app.item (id bigint PRIMARY KEY, at timestamptz NOT NULL);
CREATE TABLE app.kind (id bigint PRIMARY KEY);
CREATE TABLE app.status (id bigint PRIMARY KEY);
CREATE TABLE billing.tariff (id bigint PRIMARY KEY);
