-- What matters is who may change and delete; what everybody may is the application's choice.
GRANT USAGE ON SCHEMA app TO retention_operator, retention_viewer;
GRANT DELETE, TRUNCATE ON app.message TO retention_operator;
GRANT SELECT, INSERT ON app.message TO retention_viewer;
GRANT DELETE ON app.unnamed TO retention_operator;
GRANT UPDATE ON app.session TO PUBLIC;
