-- Returns how many rows were not claimed, and by how much the number of claims differs from $1.
SELECT (SELECT count(*) FROM public.message) - count(*), abs($1::bigint - count(*)) FROM public.claimed
