"""A hub on one machine with Docker, for a class that fits on it: `jupyterhub -f jupyterhub_config.py`.

Needs jupyterhub, dockerspawner, a proxy and an authenticator of yours; what is set here is what the class needs.
"""

c = get_config()  # noqa: F821 - JupyterHub gives it

c.JupyterHub.spawner_class = "dockerspawner.DockerSpawner"
c.DockerSpawner.image = "tapeviz-class:1"
c.DockerSpawner.pull_policy = "never"  # it was built here
c.DockerSpawner.remove = True
c.DockerSpawner.volumes = {"student-{username}": "/srv/student"}
c.DockerSpawner.network_name = "class"
c.DockerSpawner.use_internal_ip = True
c.JupyterHub.hub_ip = "0.0.0.0"  # noqa: S104 - reachable from the containers' network, not published
c.JupyterHub.hub_connect_ip = "hub"

# See docs/hub.md for the figures behind these.
c.Spawner.mem_limit = "2G"
c.Spawner.mem_guarantee = "512M"
c.Spawner.cpu_limit = 1.0
c.Spawner.default_url = "/lab"

# 200 people log in within the same minutes.
c.JupyterHub.concurrent_spawn_limit = 20
c.JupyterHub.active_server_limit = 220
c.Spawner.start_timeout = 180
