"""What runs on Spark: merging state-change logs; columns and rows, no cluster."""
