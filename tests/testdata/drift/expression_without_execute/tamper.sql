REVOKE EXECUTE ON FUNCTION public.done(text), app.either(text) FROM PUBLIC;
-- The other can be called, and takes another number of arguments.
REVOKE EXECUTE ON FUNCTION app.pinned(text, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION app.pinned(text, text) TO retention_worker;
REVOKE USAGE ON SCHEMA util FROM retention_worker;
REVOKE EXECUTE ON FUNCTION util.marked(text) FROM PUBLIC;
