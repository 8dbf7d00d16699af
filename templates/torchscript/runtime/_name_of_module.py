def _name_of_module(owner: type) -> str:
    """The module of a class; the one that a script would be where it is imported, for a class of the script itself."""
    if owner.__module__ != "__main__":
        return owner.__module__
    main = sys.modules["__main__"]
    found = getattr(main, "__spec__", None)
    return found.name if found else inspect.getmodulename(getattr(main, "__file__", "")) or "__main__"
