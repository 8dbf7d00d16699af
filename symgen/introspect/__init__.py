"""Reads what torch and onnx declare; nothing here imports torch."""
