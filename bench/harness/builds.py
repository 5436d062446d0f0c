# SPDX-License-Identifier: MIT
"""A build of 200 generated files, 150 in C and 50 in C++, by make on all cores: tee-perf-cc against clang."""

import os
import shutil
from statistics import median

from . import measure

C_FILES, CXX_FILES, FUNCTIONS = 150, 50, 12

C_FUNCTION = """
struct item_{f} {{ int key; char name[{size}]; struct item_{f} *next; }};
static int compare_{f}(const void *a, const void *b)
{{
	return ((const struct item_{f} *)a)->key - ((const struct item_{f} *)b)->key;
}}
int file_{n}_function_{f}(struct item_{f} *items, int count, int limit)
{{
	struct item_{f} *best = NULL;
	int sum = {f};

	qsort(items, (size_t)count, sizeof *items, compare_{f});
	for (int i = 0; i < count; i++) {{
		if (items[i].key > limit && (!best || strcmp(items[i].name, best->name) < 0))
			best = &items[i];
		for (struct item_{f} *at = items[i].next; at; at = at->next)
			sum = sum * {odd} + at->key % (i + {odd});
	}}
	if (best)
		printf("%s %d\\n", best->name, sum);
	return sum;
}}
"""
CXX_FUNCTION = """
namespace file_{n} {{
struct item_{f} {{ std::string name; std::vector<int> values; }};
int function_{f}(std::map<std::string, item_{f}> &items, int limit)
{{
	int sum = {f};

	for (auto &[key, item] : items) {{
		std::sort(item.values.begin(), item.values.end(), [](int a, int b) {{ return a % {odd} < b % {odd}; }});
		for (int value : item.values)
			sum += value > limit ? value : {odd};
		if (item.name.empty())
			throw std::out_of_range(key + std::to_string(sum));
		item.values.push_back(sum);
	}}
	return sum;
}}
}}
"""
MAKEFILE = """
objects = {objects}
all: $(objects)
%.o: %.c
	$(CC) -O2 -c $< -o $@
%.o: %.cc
	$(CXX) -O2 -std=c++17 -c $< -o $@
"""


def write_sources(folder):
    os.makedirs(folder)
    names = []
    for number in range(C_FILES + CXX_FILES):
        c = number < C_FILES
        headers = ("stdio.h", "stdlib.h", "string.h") if c else ("algorithm", "map", "stdexcept", "string", "vector")
        text = "".join(f"#include <{header}>\n" for header in headers)
        for function in range(FUNCTIONS if c else FUNCTIONS // 4):
            fields = {"n": number, "f": function, "odd": 2 * function + 3, "size": 16 + 8 * (number % 5)}
            text += (C_FUNCTION if c else CXX_FUNCTION).format(**fields)
        names.append(f"file_{number}")
        with open(os.path.join(folder, names[-1] + (".c" if c else ".cc")), "w") as out:
            out.write(text)
    with open(os.path.join(folder, "Makefile"), "w") as out:
        out.write(MAKEFILE.format(objects=" ".join(name + ".o" for name in names)))


def build_200_files(builder, runs, results):
    """Both compilers in turn, each from nothing; CPU seconds say what the machine's load does not disturb."""
    folder = os.path.join(builder.work, "200-files")
    compilers = {
        "clang": {"CC": "clang-14", "CXX": "clang++-14"},
        "tee": {name: builder.expand("{bin}/tee-perf-") + end + " --compiler=clang-14" for name, end in (("CC", "cc"), ("CXX", "c++"))},
    }
    done = {name: [] for name in compilers}
    for _ in range(runs):
        for name, variables in compilers.items():
            shutil.rmtree(folder, ignore_errors=True)
            write_sources(folder)
            command = ["make", "-s", "-C", folder, "-j", str(os.cpu_count()), *(f"{k}={v}" for k, v in variables.items())]
            done[name].append(measure.timed(command, stdout_path=os.path.join(builder.work, "200-files.out")))
    shutil.rmtree(folder)
    figures = {}
    for name, timings in done.items():
        figures[f"{name}_seconds"] = median(one["wall_ns"] for one in timings) / 1e9
        figures[f"{name}_cpu_seconds"] = median(one["cpu_ns"] for one in timings) / 1e9
    figures["time_ratio"] = figures["tee_seconds"] / figures["clang_seconds"]
    figures["cpu_ratio"] = figures["tee_cpu_seconds"] / figures["clang_cpu_seconds"]
    results.extra["200 files"] = figures
