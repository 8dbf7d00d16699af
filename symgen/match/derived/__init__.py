"""Plans from torch's own decompositions: graphs of several calls become one function in the plan language."""
