"""Reads a symbolic file from its text alone: what it registers, with which functions, and what those emit."""

from __future__ import annotations
