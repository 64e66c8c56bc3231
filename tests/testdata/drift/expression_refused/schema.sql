CREATE SCHEMA app;
CREATE FUNCTION public.pinned(text) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$ SELECT $1 = 'pinned' $$;
CREATE TABLE app.session (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, state text NOT NULL, expires_at timestamptz);
CREATE TABLE app.watch (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, session_id bigint NOT NULL, note text);
