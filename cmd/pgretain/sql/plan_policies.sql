SELECT p.name, p.hash, p.words FROM retention.policy p WHERE NOT p.report;
