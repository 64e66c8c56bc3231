-- Policies for each schema of a pattern (* is any text) that has their table, and the page of their members, which have
-- a schema's name wherever the word stands in it. A member is a policy "name@schema"; registers is its row.
CREATE TABLE IF NOT EXISTS retention.each (
    name text PRIMARY KEY, word text NOT NULL, schemas text NOT NULL, words text NOT NULL, page text NOT NULL,
    registers jsonb NOT NULL
);
