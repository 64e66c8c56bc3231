UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'app.pgretain_message_a851c807'::regclass;
