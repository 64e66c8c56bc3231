-- What grows and nobody thought of.
CREATE TABLE app.fresh (id bigint PRIMARY KEY);
CREATE UNLOGGED TABLE app.scratch (id bigint);
CREATE TABLE app.year (at timestamptz NOT NULL) PARTITION BY RANGE (at);
CREATE TABLE parts.year_1 PARTITION OF app.year FOR VALUES FROM ('2026-01-01') TO ('2027-01-01');
CREATE TABLE app.year_2 PARTITION OF app.year FOR VALUES FROM ('2027-01-01') TO ('2028-01-01');
CREATE TABLE app.month_like (id bigint, at timestamptz NOT NULL, more text);
CREATE TABLE app.no_partitions (at timestamptz NOT NULL) PARTITION BY RANGE (at);
-- What is covered, or none of its business.
CREATE TABLE app.kind_child () INHERITS (app.kind);
CREATE TABLE app.days_2 PARTITION OF app.days FOR VALUES FROM ('2026-02-01') TO ('2026-03-01');
ALTER TABLE app.month DETACH PARTITION parts.month_1;
ALTER TABLE parts.month_1 SET SCHEMA app;
CREATE TABLE elsewhere.fresh (id bigint);
CREATE VIEW app.seen AS SELECT id FROM app.fresh;
CREATE MATERIALIZED VIEW app.counted AS SELECT count(*) FROM app.fresh;
CREATE FOREIGN DATA WRAPPER nowhere;
CREATE SERVER nowhere FOREIGN DATA WRAPPER nowhere;
CREATE FOREIGN TABLE app.remote (id bigint) SERVER nowhere;
CREATE TABLE app.of_extension (id bigint);
ALTER EXTENSION plpgsql ADD TABLE app.of_extension;
