CREATE SCHEMA app;
CREATE TYPE app.mood AS ENUM ('calm', 'wild');
CREATE TABLE app.message (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, body text NOT NULL);
