INSERT INTO uploads SELECT n, lpad(to_hex(n), 40, 'ab'), '/uploads/' || n, (:as_of AT TIME ZONE 'UTC') - ago, hours, post
FROM (VALUES (1, interval '48 hours', NULL::int, NULL::bigint), (2, '48 hours 0.000001 s', NULL, NULL), (3, '47:59:59.999999', NULL, NULL),
             (4, '100 hours', 100, NULL), (5, '100 hours 0.000001 s', 100, NULL), (6, '60 hours', 100, NULL), (7, '50 hours', 0, NULL),
             (8, '50 hours', 10, NULL), (9, '47 hours', 10, NULL), (10, '900 days', NULL, 77)) v(n, ago, hours, post);
-- One for each way to be mentioned; even ones are not mentioned after all.
INSERT INTO uploads SELECT n, lpad(to_hex(n), 40, 'ab'), '/uploads/' || n, (:as_of AT TIME ZONE 'UTC') - interval '90 days', NULL, NULL FROM generate_series(11, 50) n;
INSERT INTO optimized_images SELECT 1000 + id, id, '/small/' || id FROM uploads WHERE id % 3 > 0;

INSERT INTO users SELECT n, admin, trust, (:as_of AT TIME ZONE 'UTC') - seen, CASE n WHEN 1 THEN 13 WHEN 8 THEN 47 END
FROM (VALUES (1, false, 0, interval '100 days'), (2, false, 0, '100 days 0.000001 s'), (3, false, 0, '99 days'), (4, false, 1, '900 days'),
             (5, true, 0, '900 days'), (6, false, 0, NULL), (7, false, 0, '900 days'), (8, false, 0, '900 days')) v(n, admin, trust, seen);
INSERT INTO user_options SELECT id FROM users;
INSERT INTO posts VALUES (1, 7, 'hello'), (2, NULL, 'by somebody who left');
INSERT INTO post_uploads VALUES (1, 11), (2, 11);
INSERT INTO user_avatars VALUES (1, 15, 17), (2, NULL, NULL);
INSERT INTO user_profiles VALUES (1, 19, NULL), (2, NULL, 21);
INSERT INTO categories VALUES (1, 23, NULL), (2, NULL, 25);
INSERT INTO custom_emojis VALUES (1, 27);
INSERT INTO theme_fields VALUES (1, 29), (2, NULL);
INSERT INTO user_exports VALUES (1, 31), (2, NULL);
INSERT INTO site_settings VALUES ('logo', '33', 18), ('favicon', '', 18), ('none', NULL, 18), ('size', '34', 3), ('list', '35|37', 17), ('list_too', '3638', 17),
    ('clean_up_inactive_users_after_days', '100', 3);
INSERT INTO reviewables SELECT n, status, raw FROM (VALUES
    (1, 0, jsonb_build_object('raw', 'see ' || lpad(to_hex(39), 40, 'ab'))), (2, 1, jsonb_build_object('raw', 'see ' || lpad(to_hex(40), 40, 'ab'))),
    (3, 0, jsonb_build_object('raw', 'see ' || upload_short_name(lpad(to_hex(41), 40, 'ab')))), (4, 0, NULL), (5, 0, '{}')) v(n, status, raw);
INSERT INTO drafts VALUES (1, lpad(to_hex(43), 40, 'ab')), (2, '{"reply": "' || upload_short_name(lpad(to_hex(45), 40, 'ab')) || '"}'), (3, '');
