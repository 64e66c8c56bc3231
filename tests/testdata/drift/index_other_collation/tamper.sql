DROP INDEX app.pgretain_message_a9305759;
CREATE INDEX pgretain_message_a9305759 ON app.message (queue COLLATE "C", id);
SELECT retention._record_index('app', 'pgretain_message_a9305759');
