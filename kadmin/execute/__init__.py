"""Carries changes of a cluster out: plan, show, confirm, write, report, wait."""
