"""Run every notebook beside this file from a fresh kernel and store what it gave.

python notebooks/run.py
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest.mock import patch

import nbformat
from nbclient import NotebookClient
from nbformat import NotebookNode

FOLDER = Path(__file__).resolve().parent
ROOT = FOLDER.parent
LIVE = "application/vnd.jupyter.widget-view+json"
TIMEOUT_S = 300


def found() -> list[Path]:
    """All notebooks beside this file."""
    return sorted(FOLDER.glob("*.ipynb"))


def fresh(notebook: Path) -> NotebookNode:
    """Run a notebook on the bundled data, in a temporary copy of its surroundings."""
    content = nbformat.read(notebook, as_version=4)
    with tempfile.TemporaryDirectory() as made, _own_jupyter(Path(made) / "jupyter"):
        (Path(made) / "notebooks").mkdir()
        (Path(made) / "data").symlink_to(ROOT / "data")
        client = NotebookClient(
            content,
            timeout=TIMEOUT_S,
            kernel_name="python3",
            resources={"metadata": {"path": str(Path(made) / "notebooks")}},
            record_timing=False,
        )
        client.execute()
    return _still(content)


@contextmanager
def _own_jupyter(folder: Path) -> Iterator[None]:
    """Keep the user's settings out: the kernel is this Python, its ctxlab the one beside it."""
    names = ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR")
    paths = (str(ROOT), os.environ.get("PYTHONPATH", ""))
    folder.mkdir()
    own = {name: str(folder / name.lower()) for name in names}
    with patch.dict(os.environ, own | {"PYTHONPATH": os.pathsep.join(filter(None, paths))}):
        yield


def _still(content: NotebookNode) -> NotebookNode:
    """Keep what a reader without a kernel can see."""
    for cell in content.cells:
        if cell.cell_type == "code":
            cell.outputs = [output for output in cell.outputs if not _is_progress(output)]
            for output in cell.outputs:
                output.get("data", {}).pop(LIVE, None)
    content.metadata = nbformat.from_dict(
        {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        }
    )
    return content


def _is_progress(output: NotebookNode) -> bool:
    """Whether this is a bar that has done its work."""
    return output.get("data", {}).get("text/html") == ""


def main() -> None:
    """Store the outputs of all notebooks."""
    for notebook in found():
        nbformat.write(fresh(notebook), notebook)


if __name__ == "__main__":
    main()
