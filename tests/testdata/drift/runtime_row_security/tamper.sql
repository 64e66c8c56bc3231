ALTER TABLE retention.hold ENABLE ROW LEVEL SECURITY;
-- Without effect.
ALTER TABLE retention.run FORCE ROW LEVEL SECURITY;
CREATE POLICY idle ON retention.run USING (false);
