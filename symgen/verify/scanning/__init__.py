"""What child processes do with a whole model: load it, trace it, try its export, and compare."""
