DROP INDEX app.pgretain_message_e6a9eeb5;
CREATE INDEX pgretain_message_e6a9eeb5 ON app.message (queue, id text_pattern_ops);
SELECT retention._record_index('app', 'pgretain_message_e6a9eeb5');
