DROP INDEX app.pgretain_message_a851c807;
ALTER TABLE app.unnamed ADD created_at timestamptz;
CREATE INDEX pgretain_message_a851c807 ON app.unnamed (created_at, id);
SELECT retention._record_index('app', 'pgretain_message_a851c807');
