CREATE TABLE app.message_imported () INHERITS (app.message);
