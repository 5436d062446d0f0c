# SPDX-License-Identifier: MIT
"""The pictures in a real browser: with pointer and keyboard, without scripts, inside <img>, in light and dark.
TEE_PERF_NO_BROWSER=1 skips it; without that, a missing Chromium is a failure."""
import base64
import os
import shutil
import sys
import tempfile

from browser import Browser
from svgfile import run_tool

TOOL = sys.argv[1]
ODD = "odd <&> \"'name' ]]>"
STACKS = f"""main;alpha;read 300
main;alpha;parse;read 100
main;alpha;parse 100
main;beta;read 200
main;beta;Zeta::run 100
main;beta;{ODD} 50
main;beta 150
"""
# What the test asks the page: frames that can be seen, by name.
HELPERS = """
const seen = () => elements.filter(e => !e.hasAttribute("display"));
const byName = name => seen().find(e => nameOf(e.flameIndex) === name);
const box = name => { const r = byName(name).querySelector("rect").getBoundingClientRect(); return [r.x, r.y, r.width]; };
"""


class Test:
    def __init__(self, browser, folder):
        self.browser, self.folder = browser, folder
        self.ask = browser.evaluate

    def picture(self, stacks, *options, name="x.svg"):
        path = os.path.join(self.folder, name)
        with open(path, "wb") as file:
            file.write(run_tool(TOOL, stacks.encode(), *options))
        return "file://" + path

    def open(self, url):
        self.browser.open(url)
        self.ask(HELPERS)

    def click(self, name):
        x, y, width = self.ask(f"box({name!r})")
        self.browser.click(x + min(width / 2, 40), y + 8)

    def names(self):
        return sorted(self.ask("seen().map(e => nameOf(e.flameIndex))"))

    def found(self):
        return self.ask("found.textContent")

    def search(self, text):
        self.browser.key("f", control=True)
        self.browser.key("Backspace")  # what is there is selected
        self.browser.type(text)
        self.equal(self.ask("searchBox.value"), text)

    def crumbs(self):
        return self.ask("[...crumbs.children].map(c => c.textContent)")

    def cursor(self):
        return self.ask("cursor < 0 ? null : nameOf(cursor)")

    def equal(self, got, wanted):
        if got != wanted:
            raise AssertionError(f"{got!r} instead of {wanted!r}")


def near(got, wanted):
    return all(abs(a - b) < 0.1 for a, b in zip(got, wanted))


def check_plain_load(t):
    t.open(t.picture(STACKS, "-t", "Title <&>", "-s", "sub"))
    t.equal(t.ask("document.title"), "Title <&>")
    t.equal(t.ask("title.textContent"), "Title <&>")
    t.equal(len(t.names()), 10)
    t.equal(t.crumbs(), ["Click a frame to zoom; arrow keys and Enter walk"])
    x, y, width = t.ask("box('alpha')")
    assert near([x, width], [10, 490]), (x, width)  # half of 1000 px less the margins
    assert t.ask("box('main')")[1] > y  # the root is below
    t.equal(t.ask("byName('alpha').querySelector('title').textContent"), "alpha\n500 ns, 50.00 %, self 0 ns")


INSIDE = "(() => { const r = tip.getBoundingClientRect(); " \
         "return r.left >= 0 && r.top >= 0 && r.right <= innerWidth && r.bottom <= innerHeight && r.width > 50; })()"


def check_hover(t):
    x, y, width = t.ask(f"box({ODD!r})")
    t.browser.move(x + width / 2, y + 8)
    t.equal(t.ask("tipName.textContent"), ODD)
    t.equal(t.ask("tipDetails.textContent"), "50 ns, 5.00 %, self 50 ns")
    assert t.ask(INSIDE)
    t.equal(t.ask(f"byName({ODD!r}).querySelector('title')"), None)  # no second tooltip over ours
    t.browser.move(500, 650)
    assert t.ask("tipHolder.hasAttribute('display')")


def check_long_names(t):
    name = "begin<" + "std::vector<int>, " * 100 + "\U0001f680>::the_end"
    t.open(t.picture(f"main;{name} 5\n"))
    x, y, width = t.ask(f"box({name!r})")
    t.browser.move(x + width / 2, y + 8)
    shown = t.ask("tipName.textContent")
    assert len(shown) < 400 and shown.startswith("begin<std") and shown.endswith("\U0001f680>::the_end"), shown
    assert t.ask(INSIDE)  # with the numbers below the name
    t.equal(t.ask("tipDetails.textContent"), "5 ns, 100 %, self 5 ns")
    t.search("the_end")  # the whole name is searched
    t.equal(t.found(), "matched 100 %, 5 ns in 1 frame")


def check_zoom(t):
    t.click("alpha")
    t.equal(t.ask("document.activeElement === framesGroup"), False)  # it would get a ring around everything
    t.equal(t.names(), ["all", "alpha", "main", "parse", "read", "read"])
    for name in "all", "main", "alpha":
        assert near(t.ask(f"box({name!r})")[::2], [10, 980]), name
    assert near(t.ask("box('parse')")[::2], [10, 392])
    t.equal(t.ask("seen().filter(e => e.parentNode.classList.contains('above')).map(e => nameOf(e.flameIndex))"), ["all", "main"])
    t.equal(t.crumbs(), ["all", "main", "alpha"])
    x, y, _ = t.ask("box('parse')")
    t.browser.move(x + 5, y + 8)
    t.equal(t.ask("tipDetails.textContent"), "200 ns, 20.00 %, self 100 ns\n40.00 % of the zoomed frame")
    t.click("parse")
    t.equal(t.names(), ["all", "alpha", "main", "parse", "read"])
    t.equal(t.crumbs(), ["all", "main", "alpha", "parse"])
    x, y = t.ask("(() => { const r = crumbs.children[2].getBoundingClientRect(); return [r.x + 20, r.y + 9]; })()")
    t.browser.click(x, y)
    t.equal(t.crumbs(), ["all", "main", "alpha"])
    t.click("main")
    t.click("beta")
    assert near(t.ask("box('beta')")[::2], [10, 980])
    assert near(t.ask("box('read')")[::2], [10 + 980 * 0.3, 392])
    t.browser.key("Escape")
    t.equal(len(t.names()), 10)


def check_search(t):
    t.search("read")
    t.equal(t.found(), "matched 60.00 %, 600 ns in 3 frames")
    t.equal(t.ask("document.querySelectorAll('.hit').length"), 3)
    t.browser.key("Escape")
    t.equal(t.found(), "")
    t.equal(t.ask("document.querySelectorAll('.hit').length"), 0)
    for text, found in [
            ("^(alpha|read)$", "matched 70.00 %, 700 ns in 4 frames"),  # reads in alpha count once
            ("^main$", "matched 100 %, 1.00 us in 1 frame"),
            ("zeta", "matched 10.00 %, 100 ns in 1 frame"),
            ("Zeta", "matched 10.00 %, 100 ns in 1 frame"),
            ("ZETA", "matched 0 %, 0 ns in 0 frames"),
            (r"\<\&", "matched 5.00 %, 50 ns in 1 frame"),
            ("<&> \"'", "matched 5.00 %, 50 ns in 1 frame"),
            ("(", "no regular expression"),
            (r"\bRUN|nothing", "matched 0 %, 0 ns in 0 frames"),
            (r"\Srun$", "matched 10.00 %, 100 ns in 1 frame")]:
        t.search(text)
        t.equal(t.found(), found)
        t.equal(t.ask("searchBox.getAttribute('aria-invalid')"), "true" if text == "(" else "false")
    t.browser.key("Escape")


def check_search_zoomed(t):
    """The share is one of the zoomed frame, and what lies outside or below it does not count."""
    t.click("alpha")
    t.search("read")
    t.equal(t.found(), "matched 80.00 %, 400 ns in 2 frames")
    t.search("main|all")
    t.equal(t.found(), "matched 0 %, 0 ns in 0 frames")
    t.search("alpha")
    t.equal(t.found(), "matched 100 %, 500 ns in 1 frame")
    t.search("read")
    t.click("main")
    t.equal(t.found(), "matched 60.00 %, 600 ns in 3 frames")
    t.click("beta")
    t.equal(t.found(), "matched 40.00 %, 200 ns in 1 frame")
    x, y = t.ask("(() => { const r = resetButton.getBoundingClientRect(); return [r.x + 9, r.y + 9]; })()")
    t.browser.click(x, y)
    t.equal(t.found(), "")
    t.equal(len(t.names()), 10)


def check_keyboard(t):
    for stroke in [("/", "/"), ("f", None, True)]:
        t.browser.key("Escape")
        t.browser.key(*stroke)
        assert t.ask("document.activeElement === searchBox")
        t.equal(t.ask("searchBox.value"), "")
    t.browser.key("/", "/")
    t.equal(t.ask("searchBox.value"), "/")  # now it is a character like any other
    t.browser.key("Escape")
    assert not t.ask("document.activeElement === searchBox")
    t.browser.key("ArrowUp")
    t.equal(t.cursor(), "all")
    for key, name in [("ArrowUp", "main"), ("ArrowUp", "alpha"), ("ArrowRight", "beta"), ("ArrowRight", "beta"),
                      ("ArrowUp", "read"), ("ArrowUp", "read"), ("ArrowLeft", ODD), ("ArrowLeft", "Zeta::run"), ("ArrowDown", "beta")]:
        t.browser.key(key)
        t.equal(t.cursor(), name)
        t.equal(t.ask("tipName.textContent"), name)
    x, y, _ = t.ask("box('read')")
    t.browser.move(x + 9, y + 8)
    t.browser.key("ArrowDown")
    t.ask("document.documentElement.style.paddingTop = '1px'")  # the page moves, the pointer does not
    t.ask("new Promise(done => setTimeout(done, 100))")
    t.ask("document.documentElement.style.paddingTop = ''")
    t.equal(t.ask("tipName.textContent"), "main")
    t.browser.key("ArrowUp")
    t.browser.key("ArrowRight")
    focused = "document.activeElement"
    t.equal(t.ask(f"[{focused}.flameIndex === cursor, {focused}.getAttribute('role'), {focused}.tabIndex]"),
            [True, "treeitem", 0])
    t.equal(t.ask(f"{focused}.getAttribute('aria-label')"), "beta, 500 ns, 50.00 %, self 150 ns")
    t.equal(t.ask("elements.filter(e => e.tabIndex === 0).length"), 1)
    assert near(t.ask("(r => [r.x, r.y, r.width])(mark.getBoundingClientRect())"), t.ask("box('beta')"))
    t.browser.key("Enter", "\r")
    t.equal(t.crumbs(), ["all", "main", "beta"])
    t.browser.key("Backspace")
    t.equal(t.crumbs(), ["all", "main"])
    t.search("read")
    for value in 300, 200, 100, 300:  # Enter walks through the matches, row by row, and starts again
        t.browser.key("Enter", "\r")
        t.equal(t.ask("[nameOf(cursor), totals[cursor]]"), ["read", value])
    assert t.ask("document.activeElement === searchBox")
    t.browser.key("Escape")
    t.equal(len(t.names()), 10)


def check_address(t):
    url = t.picture(STACKS)
    t.open(url)
    t.click("beta")
    t.search("read|Zeta")
    address = t.ask("location.href")
    t.open(address)
    t.equal(t.crumbs(), ["all", "main", "beta"])
    t.equal(t.found(), "matched 60.00 %, 300 ns in 2 frames")
    for wrong in "#zoom=99999", "#zoom=-1", "#zoom=x&search=(", "#%":
        t.open(url + wrong)
        t.equal(len(t.names()), 10)


FITTING = """(() => {
	const wrong = [];
	for (const frame of document.querySelectorAll("#frames > g > g:not([display])")) {
		const text = frame.querySelector("text"), rect = frame.querySelector("rect");
		if (!text || text.textContent === "")
			continue;
		const inner = text.getBBox(), outer = rect.getBBox();
		if (inner.x < outer.x || inner.x + inner.width > outer.x + outer.width)
			wrong.push(text.textContent);
	}
	return [document.querySelectorAll("#frames text").length, wrong];
})()"""
LONG = "".join(f"main;{'w' * (i * 3 + 1)}_{i};{'日本' * i}x;e{'́' * i}{'é' * i} {i * i + 1}\n" for i in range(25))


def check_labels(t):
    url = t.picture(LONG)
    for enabled in True, False:
        t.browser.scripts(enabled)
        t.browser.open(url)
        for width in 1600, 1000, 500:
            t.browser.resize(width, 700)
            count, wrong = t.ask(FITTING)
            assert count > 30, count
            t.equal(wrong, [])
    t.browser.scripts(True)
    t.browser.resize(1000, 700)


def check_resize(t):
    t.open(t.picture(STACKS))
    t.click("alpha")
    for width in 1600, 400, 1000:
        t.browser.resize(width, 700)
        t.ask("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
        assert near(t.ask("box('alpha')")[::2], [10, width - 20])
        t.equal(t.ask("document.documentElement.scrollWidth <= innerWidth"), True)
        assert t.ask("resetButton.getBoundingClientRect().right") <= width


def check_without_scripts(t):
    t.browser.scripts(False)
    t.browser.open(t.picture(STACKS, "-t", "Plain"))
    t.equal(t.ask("document.querySelectorAll('#frames > g > g > title').length"), 10)
    t.equal(t.ask("document.querySelectorAll('foreignObject, input, button').length"), 0)
    t.equal(t.ask("document.documentElement.getAttribute('viewBox').slice(0, 9)"), "0 0 1200 ")
    t.equal(t.ask("document.querySelector('#title').getBoundingClientRect().top > 0"), True)
    t.browser.scripts(True)


IN_IMG = """new Promise((done, fail) => {
	const image = new Image();
	image.onload = () => {
		const canvas = document.createElement("canvas");
		canvas.width = image.naturalWidth;
		canvas.height = image.naturalHeight;
		const context = canvas.getContext("2d", { willReadFrequently: true });
		context.drawImage(image, 0, 0);
		const at = (x, y) => [...context.getImageData(x, y, 1, 1).data];
		done([image.naturalWidth, image.naturalHeight, at(700, image.naturalHeight - 13), at(3, 3)]);
	};
	image.onerror = fail;
	image.src = "data:image/svg+xml;base64,%s";
})"""


def check_in_img(t):
    svg = run_tool(TOOL, STACKS.encode())
    t.browser.open("data:text/html,<title>x</title>")
    width, height, root, page = t.ask(IN_IMG % base64.b64encode(svg).decode())
    t.equal([width, root, page], [1200, [0xc9, 0xcc, 0xd0, 255], [255, 255, 255, 255]])
    assert 100 < height < 300


CONTRAST = """(() => {
	const light = value => (value /= 255) <= 0.04045 ? value / 12.92 : Math.pow((value + 0.055) / 1.055, 2.4);
	const luminance = css => {
		const [r, g, b] = css.match(/[\\d.]+/g).map(Number).map(light);
		return 0.2126 * r + 0.7152 * g + 0.0722 * b;
	};
	const fill = e => getComputedStyle(e).fill;
	const ratio = (a, b) => (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
	const pairs = [...document.querySelectorAll("#frames text")].map(e => [fill(e), fill(e.previousElementSibling)]);
	const page = fill(document.getElementById("page"));
	for (const e of document.querySelectorAll("#title, .sub text"))
		pairs.push([fill(e), page]);
	return [Math.min(...pairs.map(([a, b]) => ratio(luminance(a), luminance(b)))), luminance(page)];
})()"""


def check_colour_schemes(t):
    url = t.picture("".join(f"f{i}|/lib/lib{i}.so;[x{i}] 9\n" for i in range(40)))
    for scheme in "light", "dark":
        t.browser.colour_scheme(scheme)
        t.open(url)
        ratio, page = t.ask(CONTRAST)
        assert ratio > 4.5, (scheme, ratio)
        assert (page > 0.5) == (scheme == "light")
        t.search("f1")
        ratio, page = t.ask(CONTRAST)
        assert ratio > 4.5, (scheme, ratio)
    t.browser.colour_scheme("light")


def check_inside_a_page(t):
    """Pasted into HTML the script leaves both alone."""
    svg = run_tool(TOOL, STACKS.encode()).decode().split("?>", 1)[1]
    path = os.path.join(t.folder, "page.html")
    with open(path, "w", encoding="utf-8") as file:
        file.write("<!DOCTYPE html><title>page</title>" + svg)
    t.browser.open("file://" + path)
    t.equal(t.ask("[document.title, document.querySelectorAll('title').length, document.querySelector('input')]"),
            ["page", 12, None])
    complaint = t.browser.complaints()[-1]["exceptionDetails"]["exception"]["description"]
    assert "open the flame graph by itself" in complaint
    t.browser.events.clear()


def check_tall(t):
    """Root in sight at first, head always."""
    deep = ";".join(f"f{i}" for i in range(300))
    for options in [], ["-i"]:
        t.open(t.picture(deep + " 7\n", *options))
        visible = "(y => y >= framesTop && y <= innerHeight - 16)(box('%s')[1])"
        assert t.ask(visible % "all"), options
        assert t.ask(visible % "f8")
        t.equal(t.ask("document.documentElement.clientWidth >= svg.getBoundingClientRect().width"), True)
        for place in 0, 1000, 1e6:
            t.ask(f"scrollTo(0, {place})")
            t.ask("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
            top = t.ask("title.getBoundingClientRect().top")
            assert 0 <= top < 30, (options, place, top)
        t.ask("zoom(250)")
        assert t.ask(visible % "f249"), options
        t.equal(t.crumbs(), ["all", "\u2026", "f245", "f246", "f247", "f248", "f249"])
        t.browser.key("Escape")
        assert t.ask(visible % "all"), options
        t.browser.key("x")
        t.browser.key("ArrowDown" if options else "ArrowUp")
        t.browser.key("ArrowDown" if options else "ArrowUp")
        t.equal(t.cursor(), "f0")


def check_reverse_and_calls(t):
    t.open(t.picture("1\t5\tmain||\n7\t2\tmain||\tleaf|lib|x.c|3\n3\t1\tmain||\tmid||\tleaf|lib|x.c|3\n", "-R", "-r", "-u", "calls"))
    t.search("^leaf$")
    t.equal(t.found(), "matched 37.50 %, 3 calls in 1 frame")
    t.browser.key("Escape")
    x, y, _ = t.ask("box('leaf')")
    t.browser.move(x + 9, y + 8)
    t.equal(t.ask("tipDetails.textContent"), "3 calls, 37.50 %\nlib, x.c:3")


def main():
    if os.environ.get("TEE_PERF_NO_BROWSER") == "1":
        print("skipped: TEE_PERF_NO_BROWSER=1")
        return
    folder = tempfile.mkdtemp(prefix="tee-perf-flame-")
    checks = [check_plain_load, check_hover, check_zoom, check_search, check_search_zoomed, check_keyboard, check_address,
              check_labels, check_resize, check_without_scripts, check_in_img, check_colour_schemes, check_tall,
              check_inside_a_page, check_reverse_and_calls, check_long_names]
    try:
        with Browser(1000, 700) as browser:
            test = Test(browser, folder)
            for check in checks:
                check(test)
                complaints = browser.complaints()
                assert not complaints, (check.__name__, complaints)
                print(check.__name__)
    finally:
        shutil.rmtree(folder)


main()
