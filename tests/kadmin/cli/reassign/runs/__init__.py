"""Tests of supervised runs."""
