"""Runs compilations in the order of their dependencies, in parallel, and keeps their results."""

import concurrent.futures
import graphlib
import hashlib
import os
import shutil
import subprocess


class Task:
    """A compilation of one module."""

    def __init__(self, name, command, dependencies, inputs, output):
        self.name = name
        self.command = command
        # All modules that this one imports, directly or not.
        self.dependencies = list(dict.fromkeys(d for direct in dependencies for d in [*direct.dependencies, direct]))
        # The name of the module's file; empty if no other module imports it.
        self.output = output
        text = "\0".join([*command, inputs, *(d.key for d in self.dependencies)])
        self.key = hashlib.sha256(text.encode()).hexdigest()[:24]


class Cache:
    """Results of tasks, in directories that are named after the tasks' inputs."""

    def __init__(self, folder, version):
        self.folder = folder
        key = hashlib.sha256(version.encode()).hexdigest()[:24]
        self.clang = os.path.join(folder, key)
        self.used = {key}

    def path(self, task):
        return os.path.join(self.folder, task.key)

    def write(self, name, text):
        """Writes a generated input, and returns its path."""
        key = hashlib.sha256(text.encode()).hexdigest()[:24]
        self.used.add(key)
        path = os.path.join(self.folder, key, name)
        if not os.path.exists(path):
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        return path

    def run(self, task, root):
        """Runs a task unless its result is there. Returns the compiler's output, and whether the compilation failed."""
        folder = self.path(task)
        self.used.add(task.key)
        log = os.path.join(folder, "log")
        if not os.path.exists(log):
            os.makedirs(folder, exist_ok=True)
            failed, text = self.compile(task, root)
            if failed and task.output:
                # Modules that import this one can be checked nevertheless.
                self.compile(task, root, "-disable-availability-checking", "-experimental-allow-module-with-compiler-errors")
            with open(log + ".part", "w", encoding="utf-8") as file:
                file.write(("failed\n" if failed else "passed\n") + text)
            os.rename(log + ".part", log)
        with open(log, encoding="utf-8") as file:
            result, _, text = file.read().partition("\n")
        return text, result == "failed"

    def compile(self, task, root, *options):
        paths = [word for d in reversed(task.dependencies) for word in ("-I", self.path(d))]
        output = ["-o", os.path.join(self.path(task), task.output)] if task.output else []
        command = [*task.command, *options, *paths, "-module-cache-path", self.clang, *output]
        result = subprocess.run(command, cwd=root, capture_output=True, text=True, errors="replace")
        return result.returncode != 0, result.stdout + result.stderr

    def prune(self):
        """Removes the results that were not used."""
        for name in os.listdir(self.folder):
            if name not in self.used and len(name) == 24:
                shutil.rmtree(os.path.join(self.folder, name), ignore_errors=True)


def run(tasks, cache, root):
    """Runs tasks and their dependencies. Yields each task with its output, and whether it failed."""
    everything = dict.fromkeys(d for task in tasks for d in [*task.dependencies, task])
    order = graphlib.TopologicalSorter({task: task.dependencies for task in everything})
    order.prepare()
    with concurrent.futures.ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        running = {}
        while order.is_active():
            for task in order.get_ready():
                running[pool.submit(cache.run, task, root)] = task
            for future in concurrent.futures.wait(running, return_when=concurrent.futures.FIRST_COMPLETED).done:
                task = running.pop(future)
                yield task, *future.result()
                order.done(task)
