DROP INDEX app.pgretain_message_da87901f;
CREATE INDEX pgretain_message_da87901f ON app.message (body);
