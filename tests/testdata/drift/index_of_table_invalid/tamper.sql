UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'app.message_newest'::regclass;
