DROP INDEX app.pgretain_message_a851c807;
CREATE INDEX pgretain_message_a851c807 ON app.message (body);
