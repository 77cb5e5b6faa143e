"""The documentation site: `make docs-site` builds it into `build/site`.

Pages are Markdown (MyST). The pages of environments are written by `make_pages.py`, and the
reference by autodoc from docstrings. A warning fails the build.
"""

from __future__ import annotations

import sys
from pathlib import Path

import textgym

sys.path.insert(0, str(Path(__file__).parent))  # the extension beside this file

project = "textgym"
author = "The textgym developers"
version = release = textgym.__version__

extensions = [
    "myst_parser",
    "site_environments",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx_copybutton",
    "sphinx_design",
]
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 4
html_theme = "furo"
html_title = "textgym"
html_show_sphinx = False
html_show_copyright = False
html_static_path = ["static"]
html_css_files = ["site.css"]
html_js_files = ["catalogue.js"]

default_role = "py:obj"  # of single backticks in docstrings: a link, or else code
autodoc_member_order = "bysource"
autodoc_typehints = "description"
autodoc_typehints_description_target = "documented"
python_use_unqualified_type_names = True
napoleon_google_docstring = True
napoleon_numpy_docstring = False
napoleon_use_ivar = True
napoleon_use_rtype = False
