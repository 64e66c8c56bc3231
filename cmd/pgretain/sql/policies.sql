SELECT p.name FROM retention.policy p WHERE NOT p.report ORDER BY p.built_in, p.name;
