-- The function has another name now.
ALTER FUNCTION public.pinned(text) RENAME TO is_pinned;
