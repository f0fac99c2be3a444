"""Tests of what a supervisor decides."""
