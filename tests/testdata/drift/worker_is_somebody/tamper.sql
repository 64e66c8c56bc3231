ALTER ROLE drift_worker_worker LOGIN;
GRANT pg_execute_server_program TO drift_worker_worker;
GRANT DELETE ON retention.run TO drift_worker_worker;
REVOKE drift_worker_worker FROM drift_worker_owner;
