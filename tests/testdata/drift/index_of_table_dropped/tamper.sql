DROP INDEX app.message_newest;
