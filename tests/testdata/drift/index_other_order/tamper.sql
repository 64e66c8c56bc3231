-- With the columns the other way round, and written down so.
DROP INDEX app.pgretain_message_a851c807;
CREATE INDEX pgretain_message_a851c807 ON app.message (id, created_at);
SELECT retention._record_index('app', 'pgretain_message_a851c807');
