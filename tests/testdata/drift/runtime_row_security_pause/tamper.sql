INSERT INTO retention.setting (policy, name, value) VALUES ('*', 'paused', 'true');
ALTER TABLE retention.setting ENABLE ROW LEVEL SECURITY;
