DROP INDEX app.pgretain_message_a851c807;
