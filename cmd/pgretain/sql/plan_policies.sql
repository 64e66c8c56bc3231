SELECT p.name, p.hash FROM retention.policy p WHERE NOT p.report;
