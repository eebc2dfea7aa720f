"""Mappings of nests in words, as in "bm=64 bn=64 raster=grouped:8"."""


def parse_values(pairs, known, where=""):
    """`known`, with the values that `pairs` names; numbers where those of `known` are numbers."""
    values = dict(known)
    for pair in pairs:
        name, _, value = pair.partition("=")
        if name not in values:
            raise ValueError(f"{where}no '{name}'; known are {', '.join(values)}")
        values[name] = int(value) if isinstance(values[name], int) else value
    return values


def parse_form(words, forms):
    """The form that `words` begin with, one of `forms`, and its values."""
    form, *pairs = words.split()
    if form not in forms:
        raise ValueError(f"unknown form '{form}'; known are {', '.join(forms)}")
    return form, parse_values(pairs, forms[form], f"form '{form}' has ")
