"""Finds links that lead nowhere in the pages of a source tree.

  check_links.py ROOT

A relative link of a .md file must name a file or folder, and after a `#` one of that page's headings. Where any other text file
names a page of the folder `docs`, there must be such a page. Every page of ROOT/docs must be linked from ROOT/docs/README.md. Exit
status 1 where one of these fails.
"""

import os
import pathlib
import re
import sys


def read_files(root):
    """(path, text) of each text file, without build folders and what git keeps."""
    for folder, folders, names in os.walk(root):
        folders[:] = [f for f in folders if not f.startswith(".git") and not re.match(r"build|__pycache__", f)]
        for name in names:
            path = pathlib.Path(folder) / name
            try:
                yield path, path.read_text(encoding="utf-8")
            except UnicodeDecodeError:
                continue


def strip_code(text):
    return re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S)


def list_anchors(text):
    """The anchors of a page's headings, as GitHub makes them."""
    titles = re.findall(r"^#+ +(.*?) *$", strip_code(text), re.M)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def find_broken(root):
    errors, links, linked = [], 0, set()
    index = root / "docs" / "README.md"
    for path, text in read_files(root):
        name = path.relative_to(root)
        for page in re.findall(r"(?<![\w/.])docs/[\w/-]+\.md\b", text):
            links += 1
            if not (root / page).is_file():
                errors.append(f"{name} names {page}, which does not exist")
        if path.suffix != ".md":
            continue
        for target in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"`[^`\n]*`", "", strip_code(text))):
            if re.match(r"\w+:", target):
                continue
            links += 1
            page, _, anchor = target.partition("#")
            there = (path.parent / page).resolve() if page else path
            if path == index:
                linked.add(there)
            if not there.exists():
                errors.append(f"{name} links to {target}, which does not exist")
            elif anchor and anchor not in list_anchors(there.read_text(encoding="utf-8")):
                errors.append(f"{name} links to {target}, but {there.name} has no such heading")
    pages = sorted((root / "docs").rglob("*.md"))
    errors += [f"docs/README.md does not link to {page.relative_to(root)}" for page in pages if page not in linked | {index}]
    return errors, links


if __name__ == "__main__":
    found, count = find_broken(pathlib.Path(sys.argv[1]).resolve())
    print("\n".join(found) if found else f"{count} links lead somewhere")
    sys.exit(1 if found or not count else 0)
