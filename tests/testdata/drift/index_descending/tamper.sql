DROP INDEX app.pgretain_message_da87901f;
CREATE INDEX pgretain_message_da87901f ON app.message (created_at DESC, id);
SELECT retention._record_index('app', 'pgretain_message_da87901f');
