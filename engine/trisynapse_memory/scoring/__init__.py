"""Numbers in, numbers out: the formulas of ``docs/formulas.md``. No record, file or index is touched here."""
