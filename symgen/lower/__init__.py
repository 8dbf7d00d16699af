"""From a plan to the code for each opset."""
