ALTER TABLE app.message DROP CONSTRAINT message_pkey;
