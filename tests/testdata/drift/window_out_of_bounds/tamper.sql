-- The policy's window has no lower bound in the file, so that none can be set; somebody did so by hand.
INSERT INTO retention.setting (policy, name, value, reason) VALUES ('message_ttl', 'window', '1 day', 'the disk is full');
