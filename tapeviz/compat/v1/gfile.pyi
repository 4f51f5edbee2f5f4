# Made from the table of namespaces and the declarations of ops by `python -m tools.stubs`.
from tapeviz.files.gfile import GFile
from tapeviz.files.gfile import GFile as FastGFile
from tapeviz.files.gfile import GFile as Open
from tapeviz.files.gfile import copy as Copy
from tapeviz.files.gfile import exists as Exists
from tapeviz.files.gfile import glob as Glob
from tapeviz.files.gfile import isdir as IsDirectory
from tapeviz.files.gfile import listdir as ListDirectory
from tapeviz.files.gfile import makedirs as MakeDirs
from tapeviz.files.gfile import mkdir as MkDir
from tapeviz.files.gfile import remove as Remove
from tapeviz.files.gfile import rename as Rename
from tapeviz.files.gfile import rmtree as DeleteRecursively
from tapeviz.files.gfile import stat as Stat
from tapeviz.files.gfile import walk as Walk

__all__ = [
    "Copy",
    "DeleteRecursively",
    "Exists",
    "FastGFile",
    "GFile",
    "Glob",
    "IsDirectory",
    "ListDirectory",
    "MakeDirs",
    "MkDir",
    "Open",
    "Remove",
    "Rename",
    "Stat",
    "Walk",
]
