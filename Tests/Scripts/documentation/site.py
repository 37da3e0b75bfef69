"""Completes the merged documentation archive, and checks its links: site.py ARCHIVE BASE-PATH

DocC leaves relative links to another module's article as they are in the sources, where they lead to the Markdown file. In the
archive, they must lead to the article's page. DocC cuts long lines of code at the edge of the column; in the archive, they wrap. Prints
links without a page, and exits with 1 if there are any.
"""

import json
import re
import sys
from pathlib import Path

archive = Path(sys.argv[1])
base = "/" + sys.argv[2].strip("/") if sys.argv[2].strip("/") else ""
article = re.compile(r"\.\./\.\./\w+/(\w+)\.docc/(\w+)\.md")
problems, counts = [], {"page": 0, "link": 0, "article": 0}
for file in sorted(archive.glob("data/**/*.json")):
    page = json.loads(file.read_text(encoding="utf-8"))
    name = file.relative_to(archive / "data").with_suffix("")
    counts["page"] += 1
    if not (archive / name / "index.html").exists():
        problems.append(f"{name}: missing index.html")
    for reference in page.get("references", {}).values():
        url = reference.get("url", "")
        if link := article.fullmatch(url):
            module, title = link.groups()
            url = f"/documentation/{module}" if title == module else f"/documentation/{module}/{title}"
            url = url.lower()
            reference["url"] = base + url
            counts["article"] += 1
        elif reference["type"] == "link" and re.match("https://", url) or reference["type"] not in ("link", "topic"):
            continue
        counts["link"] += 1
        if not (archive / f"data{url.partition('#')[0]}.json").exists():
            problems.append(f"{name}: no page for the link {url}")
    file.write_text(json.dumps(page, separators=(",", ":"), sort_keys=True), encoding="utf-8")
styles = list(archive.glob("css/index.*.css"))
if len(styles) != 1:
    sys.exit(f"documentation-site: {len(styles)} files match css/index.*.css in the archive")
with styles[0].open("a", encoding="utf-8") as style:
    style.write("\nbody .code-listing pre,body .code-listing code{white-space:pre-wrap;overflow-wrap:anywhere}\n")
# DocC has no page at the root.
(archive / "index.html").write_text(
    f'<!doctype html><meta charset="utf-8"><title>Documentation</title><meta http-equiv="refresh" '
    f'content="0; url={base}/documentation/"><a href="{base}/documentation/">Documentation</a>\n', encoding="utf-8")
for problem in problems:
    print(problem)
if problems or not all(counts.values()):
    sys.exit(f"documentation-site: {len(problems)} problems; counts: {counts}")
print(f"documentation-site: {counts['page']} pages, {counts['link']} links, {counts['article']} to articles of other modules")
