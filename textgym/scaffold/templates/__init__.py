"""The files of a new package, as `my_package` with the environment `my_package/MyEnv-v0`.

Each kind is an environment that works as it is, and its tests, which `textgym init` copies with
other names. `common_tests`, `package_init` and the texts are the same for all kinds.
"""
