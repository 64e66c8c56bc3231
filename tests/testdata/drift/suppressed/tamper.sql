DROP INDEX app.pgretain_message_a851c807, app.pgretain_session_900cbf4b;
