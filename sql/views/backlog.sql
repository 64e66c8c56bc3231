-- What is due right now, policy by policy, and what keeps the rest. Reading it counts the rows.
CREATE OR REPLACE VIEW retention.backlog AS
SELECT b.policy, b.due, b.kept, b.oldest, b.newest FROM retention._backlog() b;
