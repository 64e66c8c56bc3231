ALTER TABLE app.message ALTER COLUMN created_at SET DEFAULT 'infinity';
ALTER TABLE app.message ALTER COLUMN longer SET DEFAULT '2 days';
ALTER TABLE app.message ALTER COLUMN mood SET DEFAULT 'wild';
ALTER TABLE app.message ALTER COLUMN seen_at SET DEFAULT now();
-- The same in other words.
ALTER TABLE app.message ALTER COLUMN made_at SET DEFAULT now();
ALTER TABLE app.message ALTER COLUMN stays SET DEFAULT interval '24 hours';
ALTER TABLE app.message ALTER COLUMN state SET DEFAULT pg_catalog.lower('NEW'::text);
ALTER TABLE app.message ALTER COLUMN tries SET DEFAULT '-1';
ALTER TABLE app.message ALTER COLUMN note SET DEFAULT NULL;
