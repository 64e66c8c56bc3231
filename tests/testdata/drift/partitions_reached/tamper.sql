-- A key to one partition keeps its rows. A new partition is no news, and has what its table has.
CREATE TABLE app.event_2025 PARTITION OF app.event FOR VALUES FROM ('2025-01-01') TO ('2026-01-01');
CREATE TABLE app.case_of_2024 (event_id bigint, at date, FOREIGN KEY (event_id, at) REFERENCES app.event_2024);
-- Of the partitions that refer, one is left without an index.
INSERT INTO app.event SELECT n, '2024-02-03' FROM generate_series(1, 10) n;
INSERT INTO app.note (event_id, at) SELECT 1 + n % 10, '2024-02-03' FROM generate_series(1, 20000) n;
DROP INDEX app.note_at;
CREATE INDEX ON app.note_old (at, event_id) WHERE event_id IS NOT NULL AND at IS NOT NULL;
ANALYZE app.note;
-- Published by its root, which has no identity of its own, and needs none.
ALTER TABLE app.event_2024 REPLICA IDENTITY NOTHING;
CREATE PUBLICATION by_root FOR TABLE app.event WITH (publish_via_partition_root = true);
-- A trigger has a copy on every partition, a rule has none.
CREATE FUNCTION app.keep_row() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;
CREATE TRIGGER keep_row BEFORE DELETE ON app.event FOR EACH ROW EXECUTE FUNCTION app.keep_row();
CREATE RULE keep AS ON DELETE TO app.event_2024 DO INSTEAD NOTHING;
