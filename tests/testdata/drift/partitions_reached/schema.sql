CREATE SCHEMA app;
CREATE TABLE app.event (id bigint, at date NOT NULL, PRIMARY KEY (id, at)) PARTITION BY RANGE (at);
CREATE TABLE app.event_2024 PARTITION OF app.event FOR VALUES FROM ('2024-01-01') TO ('2025-01-01');
CREATE TABLE app.note (
    id bigint GENERATED ALWAYS AS IDENTITY,
    event_id bigint,
    at date,
    FOREIGN KEY (event_id, at) REFERENCES app.event ON DELETE CASCADE
) PARTITION BY RANGE (at);
CREATE TABLE app.note_old PARTITION OF app.note FOR VALUES FROM (MINVALUE) TO ('2024-01-01');
CREATE TABLE app.note_new PARTITION OF app.note FOR VALUES FROM ('2024-01-01') TO (MAXVALUE);
CREATE INDEX note_at ON app.note (at, event_id);
