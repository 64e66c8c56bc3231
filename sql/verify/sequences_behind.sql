-- Returns the sequences of the runtime's tables whose next number is already used.
-- largest: the largest number in the table
SELECT b.sequence_name, b.table_name, b.largest FROM retention._sequences_behind() b ORDER BY 1
