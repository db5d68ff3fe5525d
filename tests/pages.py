"""A strict look at HTML pages: what is open must be closed, and what a page asks for is listed."""

from html.parser import HTMLParser

VOID = {"meta", "img", "br", "hr", "link", "input"}
ASKING = ("src", "href", "srcset", "action", "data", "poster", "xlink:href")


class Page(HTMLParser):
    """Parses a page; raises AssertionError where tags are not balanced."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.open, self.tags, self.ids, self.links, self.texts, self.images = [], [], [], [], [], []
        self.feed(text)
        self.close()
        assert self.open == [], f"never closed: {self.open}"

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        assert len(given) == len(attrs), f"an attribute twice in {tag}: {attrs}"
        self.tags.append((tag, given))
        if "id" in given:
            self.ids.append(given["id"])
        self.links += [given[name] for name in ASKING if name in given]
        assert not [name for name in given if name.startswith("on")], f"a handler in {tag}: {attrs}"
        if tag == "img":
            self.images.append(given)
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open, f"</{tag}> closes nothing"
        assert self.open[-1] == tag, f"</{tag}> closes {self.open[-1]}"
        self.open.pop()

    def handle_data(self, data):
        if self.open and self.open[-1] not in ("style", "script"):
            self.texts.append(data)

    @property
    def text(self):
        return " ".join(" ".join(self.texts).split())

    def count(self, tag):
        return sum(name == tag for name, _ in self.tags)
