ALTER ROLE drift_worker_worker LOGIN CREATEROLE;
GRANT DELETE ON retention.run TO drift_worker_worker;
REVOKE drift_worker_worker FROM drift_worker_owner;
