-- How many rows there are but for those that were claimed, and how far from $1 these are.
SELECT (SELECT count(*) FROM public.message) - count(*), abs($1::bigint - count(*)) FROM public.claimed
