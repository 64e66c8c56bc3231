-- Returns how many rows are left, without due rows that are refused, and how many due rows that are
-- not refused. Parameter $1 is the last due ID.
SELECT count(*) - count(*) FILTER (WHERE b.id <= $1 AND p.bill_id IS NOT NULL),
       count(*) FILTER (WHERE b.id <= $1 AND p.bill_id IS NULL)
FROM public.bill b LEFT JOIN public.payment p ON p.bill_id = b.id
