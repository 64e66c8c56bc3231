ALTER TABLE app.session REPLICA IDENTITY NOTHING;
ALTER TABLE app.attachment DROP CONSTRAINT attachment_pkey;
ALTER TABLE app.watch REPLICA IDENTITY NOTHING;
CREATE PUBLICATION everything FOR ALL TABLES WITH (publish = 'insert, delete');
CREATE PUBLICATION inserts FOR TABLE app.session WITH (publish = 'insert');
