"""`symgen upstream`: operators as commits in a checkout of PyTorch."""
