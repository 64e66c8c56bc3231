DROP INDEX app.pgretain_message_a851c807;
DROP VIEW retention.metrics;
