-- Parameter: $1 policy. Returns the scopes in which its jobs run it; NULL stands for all rows.
SELECT s::text FROM retention._scopes($1) s;
