"""The library exports every function of the table in both forms, MPI_ weak and PMPI_ strong, and nothing else."""

import pathlib
import subprocess
import sys

sys.dont_write_bytecode = True
generator, table_dir, library = sys.argv[1:]
sys.path.insert(0, str(pathlib.Path(generator).parent))

import table

chapters = table.read_functions(table_dir)
functions = [f for c in chapters for f in c.functions]
wanted = {name for f in functions for name, _ in f.widths()}
# The numbers of the MPI 5.0 ABI: 503 functions, 159 of them with a large-count twin.
in_abi = [f for f in functions if not f.has("extra")]
# What include/ranklet/run.hpp and explore.hpp declare.
RUN = {f"_ZN7ranklet6detail{rest}" for rest in (
    "9run_ranksEiPFiPviiiPPcES1_RKNS_7OptionsEm", "13explore_ranksEiPFiPviiiPPcES1_RKNS_14ExploreOptionsEm",
    "8stop_runEv", "13thread_startsEv", "11thread_endsEPv", "10run_threadEPvPFvS1_ES1_",
    "15run_is_stoppingEv", "11rank_outputB5cxx11Ev", "11rank_outputEv",
    "11thread_rankEv", "11bind_threadEPv")}
# What src/ranks/hosting.hpp declares for the host.
HOST = {"_ZN7ranklet15make_hosted_jobENS_16HostedJobOptionsE", "_ZN7ranklet22recover_from_bus_errorEPv"}
problems = []
if len(in_abi) != 503 or sum(f.has("c") for f in in_abi) != 159:
    problems.append(f"the table has {len(in_abi)} functions and {sum(f.has('c') for f in in_abi)} twins, not 503 and 159")

nm = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True, check=True).stdout
exported = {}
for line in nm.splitlines():
    *_, letter, name = line.split()
    exported[name] = letter
for name in sorted(wanted):
    if exported.get(name) != "W":
        problems.append(f"{name} is not exported as a weak function")
    if exported.get("P" + name) != "T":
        problems.append(f"P{name} is not exported as a function")
for name in sorted(exported):
    known = name.removeprefix("P") in wanted or name.startswith("ranklet_") or name in RUN or name in HOST
    if not known:
        problems.append(f"{name} is exported and should not be")
soname = subprocess.run(["readelf", "-d", library], capture_output=True, text=True, check=True).stdout
if "[libmpi_abi.so.1]" not in soname:
    problems.append("the soname is not libmpi_abi.so.1")
print("\n".join(problems) or f"{len(wanted)} functions, both forms")
sys.exit(bool(problems))
