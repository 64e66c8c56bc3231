-- $1: a policy. The scopes in which its jobs let it take rows; NULL for all rows.
SELECT s::text FROM retention._scopes($1) s;
