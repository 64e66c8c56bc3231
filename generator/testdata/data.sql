-- Rows of which some are due under every policy of the cases.
INSERT INTO app.owner SELECT i, i % 2 = 0, i FROM generate_series(1, 4) i;
INSERT INTO app.note (owner_id, kind, state, score, starred, tag, made_at, seen_at, expires_at)
SELECT i % 5, (ARRAY['draft', 'pinned', 'x'])[1 + i % 3], (ARRAY['open', NULL])[1 + i % 2], i / 100.0, i % 7 = 0,
       (ARRAY['a', NULL])[1 + i % 2], timestamptz '2020-01-01' + i * interval '1 hour', timestamptz '2020-01-01',
       CASE WHEN i % 2 = 0 THEN timestamptz '2020-06-01' END
FROM generate_series(1, 120) i;
INSERT INTO app.review VALUES (1, true), (2, false);
INSERT INTO app.loan SELECT i, i * 3, timestamptz '2020-01-01' FROM generate_series(1, 9) i;
INSERT INTO app.clocks
SELECT i, '2020-01-01', '2020-01-01', 1577836800, 1577836800, 1577836800, 1577836800000, 1577836800000, 1577836800000,
       '016f5e66-e800-7000-8000-000000000000', '016f5e66-e800-7000-8000-000000000000', '016f5e66-e800-7000-8000-000000000000',
       '016f5e66-e800-7000-8000-000000000000', '01DXF6DT000000000000000000', 1, '2020-01-01', NULL
FROM generate_series(1, 3) i;
UPDATE app.clocks SET key_text = '2020-01';
INSERT INTO app.blob SELECT i, '2020-01-01' FROM generate_series(1, 3) i;
INSERT INTO app.item SELECT i, NULLIF(i - 1, 0), i, ARRAY['a', 'b'], '2020-01-01' FROM generate_series(1, 3) i;
INSERT INTO app.tag_link SELECT i, 'x' FROM generate_series(1, 3) i;
INSERT INTO app.tag_vote SELECT i, i, 'x' FROM generate_series(1, 3) i;
INSERT INTO app.mention SELECT i, i FROM generate_series(1, 3) i;
INSERT INTO app.event SELECT i, timestamptz '2024-01-02' + i * interval '40 days', '' FROM generate_series(1, 9) i;
INSERT INTO app.served SELECT i, timestamptz '2020-01-01' + i * interval '1 hour', i % 2 FROM generate_series(1, 9) i;
INSERT INTO app.not_served SELECT i, timestamptz '2020-01-01' + i * interval '1 hour', 'done', i % 2 FROM generate_series(1, 9) i;
INSERT INTO "Se""lect"."order by. $function$ {{ .Tag }}"
SELECT i, '2020-01-01', 'ü', i % 2, i::text, true, '' FROM generate_series(1, 5) i;
INSERT INTO "Se""lect".child VALUES (1, 1, '1'), (2, 2, '2');
INSERT INTO "Se""lect"."012345678901234567890123456789012345678901234567890123456789éa"
SELECT i, '2020-01-01', NULLIF(i - 1, 0) FROM generate_series(1, 12) i;
INSERT INTO shop_anna.item SELECT n, timestamptz '2025-06-01 12:00:00+00' - n * interval '1 day' FROM generate_series(1, 20) n;
INSERT INTO shop_anna.sold VALUES (10, '2025-05-01 12:00:00+00');
