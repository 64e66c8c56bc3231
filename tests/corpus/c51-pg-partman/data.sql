INSERT INTO app.part_config VALUES ('app.event', 'at', '3 months', false), ('app.metric', 'at', '59 days', true), ('app.audit', 'at', NULL, false), ('app.item', 'id', '150', false);
INSERT INTO app.event SELECT at, 1 FROM generate_series(timestamptz '2025-10-15 00:00+00', '2026-03-15 00:00+00', '12 hours') at;
INSERT INTO app.metric SELECT at, 1 FROM generate_series(timestamptz '2025-11-01 00:00+00', '2026-01-31 00:00+00', '1 day') at;
INSERT INTO app.audit SELECT at, 1 FROM generate_series(timestamptz '2020-11-01 00:00+00', '2020-12-31 00:00+00', '1 day') at;
INSERT INTO app.item SELECT generate_series(0, 250, 10);
