"""Run a resources server of the package nemo-gym: `nemo_gym_server.py NAME CLASS PORT`.

It runs in another environment, which has that package.
"""

import importlib
import sys
from pathlib import Path
from unittest.mock import MagicMock

import resources_servers
import uvicorn
from nemo_gym.server_utils import ServerClient

name, cls, port = sys.argv[1:]
sys.path.insert(0, str(Path(next(iter(resources_servers.__path__))) / name))
Server = getattr(importlib.import_module(f"resources_servers.{name}.app"), cls)
config = Server.model_fields["config"].annotation(
    host="127.0.0.1", port=int(port), entrypoint="", domain="other", name=name
)
server = Server(config=config, server_client=MagicMock(spec=ServerClient))
uvicorn.run(server.setup_webserver(), host="127.0.0.1", port=int(port), log_level="error")
