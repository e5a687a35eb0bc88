"""Pages of a shop for the tests of list wrappers."""


def make_shop(names, *, extra="", sale=()):
    """Return a page of one template with these products."""
    items = "".join(
        f"<li><a href='/{name}'><img src='{name}.png'></a><h3>{name}</h3>"
        f"{f'<s>old {name}</s>' if name in sale else ''}<p>{name} <b>text</b></p></li>"
        for name in names
    )
    menu = "<nav><ul>" + "<li><a href='/x'>menu</a></li>" * 5 + "</ul></nav>"
    return f"<body>{menu}<main><div>{extra}<ul>{items}</ul></div></main></body>"


LEARNED = make_shop(["ash", "birch", "cedar", "fir"], sale=["birch"])
