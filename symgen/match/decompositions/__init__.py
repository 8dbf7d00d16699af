"""The knowledge: how operators are said in ONNX, one family a file, written in the plan language."""
