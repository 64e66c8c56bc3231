-- Of two holds on a table beside the policies one is spelled otherwise since the key's type is another one.
CREATE TABLE app.price (id text PRIMARY KEY);
INSERT INTO app.price VALUES ('1'), ('02');
GRANT SELECT ON app.price TO retention_owner;
SELECT retention.place_hold('app.price', '{1}', 'case 1'), retention.place_hold('app.price', '{02}', 'case 2');
ALTER TABLE app.price ALTER id TYPE int USING id::int;
