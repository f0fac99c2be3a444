"""Pure planners and judges: a snapshot in, a plan out."""
