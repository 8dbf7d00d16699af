"""From an operator's declarations to the ways in which ONNX can say it."""
