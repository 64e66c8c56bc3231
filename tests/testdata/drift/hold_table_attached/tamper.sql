-- The second hold is on a partition, too, which stood for the table above when it was placed; the third one is over.
CREATE TABLE app.event_2023_12 (LIKE app.event INCLUDING ALL);
GRANT SELECT ON app.event_2023_12 TO retention_worker;
INSERT INTO app.event_2023_12 VALUES (1, '2023-12-03'), (2, '2023-12-04');
INSERT INTO app.event VALUES (1, '2024-01-02');
SELECT retention.place_hold('app.event_2023_12', '{"id": 1, "at": "2023-12-03"}', 'case 1'),
       retention.place_hold('app.event_2024_01', '{"id": 1, "at": "2024-01-02"}', 'case 2'),
       retention.place_hold('app.event_2023_12', '{"id": 2, "at": "2023-12-04"}', 'over', now() - interval '1 day');
ALTER TABLE app.event ATTACH PARTITION app.event_2023_12 FOR VALUES FROM ('2023-12-01') TO ('2024-01-01');
