CREATE SCHEMA app;
CREATE TABLE app.event (id bigint, at date NOT NULL, state text, PRIMARY KEY (id, at)) PARTITION BY RANGE (at);
CREATE TABLE app.event_2024_01 PARTITION OF app.event FOR VALUES FROM ('2024-01-01') TO ('2024-02-01');
CREATE TABLE app.event_2024_02 PARTITION OF app.event FOR VALUES FROM ('2024-02-01') TO ('2024-03-01');
CREATE TABLE app.note (id int PRIMARY KEY, event_id bigint, at date, FOREIGN KEY (event_id, at) REFERENCES app.event ON DELETE CASCADE);
