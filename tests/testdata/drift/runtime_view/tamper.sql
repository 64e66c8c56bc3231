CREATE OR REPLACE VIEW retention.backlog AS SELECT b.policy, b.due, b.kept, b.oldest, b.newest FROM retention._backlog() b WHERE false;
