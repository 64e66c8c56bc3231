DROP INDEX app.pgretain_message_da87901f;
DROP VIEW retention.metrics;
