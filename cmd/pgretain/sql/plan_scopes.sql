-- Parameter: $1 policies. Returns each policy with the scopes in which its jobs run it; NULL stands
-- for all rows.
SELECT p.name, s::text FROM unnest($1::text[]) p (name) CROSS JOIN LATERAL retention._scopes(p.name) s;
