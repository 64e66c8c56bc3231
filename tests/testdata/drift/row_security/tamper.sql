-- Of a table that a guard reads, and of one that a delete cascades to, where holds are looked for.
ALTER TABLE app.watch ENABLE ROW LEVEL SECURITY;
CREATE POLICY all_rows ON app.watch USING (true);
ALTER TABLE app.attachment ENABLE ROW LEVEL SECURITY;
-- Nobody reads this one.
ALTER TABLE app.unnamed ENABLE ROW LEVEL SECURITY;
ALTER TABLE app.ledger FORCE ROW LEVEL SECURITY;
