-- Prepares the transaction of a plan. The table makes the server create the temporary schema of the
-- session.
SET LOCAL client_min_messages = error;
SET LOCAL check_function_bodies = off;
SET LOCAL jit = off;
SET LOCAL lock_timeout = '2s';
CREATE TEMPORARY TABLE pgretain_plan ();
