SELECT p.name FROM retention.policy p WHERE NOT p.report ORDER BY p.name;
