"""What each student's server is told: when idle kernels and servers end, and that nobody installs anything there."""

c = get_config()  # noqa: F821 - Jupyter gives it

c.MappingKernelManager.cull_idle_timeout = 30 * 60
c.MappingKernelManager.cull_interval = 60
c.MappingKernelManager.cull_connected = True
c.ServerApp.shutdown_no_activity_timeout = 60 * 60
c.LabApp.check_for_updates_class = "jupyterlab.NeverCheckForUpdate"
c.LabApp.extension_manager = "readonly"
