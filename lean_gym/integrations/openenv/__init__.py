"""The environment as an OpenEnv package (openenv 0.10): `pip install 'lean-gym[openenv]'`.

openenv.yaml           manifest
models.py              action, observation, state
client.py              typed client
server/environment.py  one session
server/app.py          FastAPI application, `server.app:app`
server/Dockerfile      image, built from the root of the repository
validation/            a solved task and attempts on false theorems, for whoever validates the package
"""

from lean_gym.integrations.openenv.client import LeanEnv
from lean_gym.integrations.openenv.models import LeanAction, LeanObservation, LeanState

__all__ = ["LeanAction", "LeanEnv", "LeanObservation", "LeanState"]
