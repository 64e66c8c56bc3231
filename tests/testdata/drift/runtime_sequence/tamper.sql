-- Of runs there are some, by ran.sql. The others are empty, or go on from where they are.
SELECT setval('retention.run_id_seq', 1, false);
SELECT setval('retention.event_id_seq', 1, false);
SELECT setval('retention.claim_id_seq', 7);
SELECT retention.place_hold('app.message', '1', 'case 1');
