DROP INDEX app.pgretain_message_da87901f, app.pgretain_session_7e47bd1f;
