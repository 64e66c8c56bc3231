-- A concurrent build that did not finish.
INSERT INTO app.message (body) SELECT 'm' FROM generate_series(1, 10);
INSERT INTO app.attachment (message_id) SELECT 1 + n % 10 FROM generate_series(1, 20000) n;
UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'app.attachment_message'::regclass;
ANALYZE app.attachment;
