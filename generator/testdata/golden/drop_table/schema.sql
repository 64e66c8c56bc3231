CREATE SCHEMA app;
CREATE TABLE app.detached (name text PRIMARY KEY, drop_after timestamptz NOT NULL);
CREATE TABLE app.event_2023 (id bigint);
INSERT INTO app.detached VALUES ('app.event_2023', '2024-01-01'), ('app.event_2030', '2030-01-01');
