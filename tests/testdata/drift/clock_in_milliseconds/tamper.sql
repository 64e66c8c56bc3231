-- All rows of one table are in milliseconds; of another one only one. Words for "never" may be all that
-- there is, and expiries of the next ten years are no matter at all.
INSERT INTO app.seconds SELECT i, 1700000000000 + i FROM generate_series(1, 3) i;
INSERT INTO app.some VALUES (1, 1700000000000), (2, extract(epoch FROM now())::bigint);
INSERT INTO app.never VALUES (1, '9999-12-31'), (2, 'infinity'), (3, now() + interval '9 years');
INSERT INTO app.words VALUES (1, 1700000000000), (2, 1700000000000);
INSERT INTO app.meant VALUES (1, NULL);
