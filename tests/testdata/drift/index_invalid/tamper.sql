UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'app.pgretain_message_da87901f'::regclass;
