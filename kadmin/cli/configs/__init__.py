"""`kadmin configs`: see and change dynamic configs."""
