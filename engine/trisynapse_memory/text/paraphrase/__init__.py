"""What one sentence says against what another says, clause by clause; its door is ``restating``. No model is asked."""
