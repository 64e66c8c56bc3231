GRANT UPDATE (expires_at), DELETE ON app.session TO retention_operator;
GRANT UPDATE (created_at) ON app.message TO PUBLIC;
