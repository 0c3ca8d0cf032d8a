#include <doctest/doctest.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <sstream>

#include <unistd.h>

#include "launch/command_line.hpp"
#include "launch/option_rules.hpp"
#include "machine/topology.hpp"
#include "terms/error.hpp"

using namespace ranklet;
using namespace ranklet::launch;

namespace {

constexpr const char* inherited[] = {"HOME=/home/me", "LANG=C", "PATH=/bin", nullptr};

// Words are separated by spaces.
CommandLine parse(const std::string& text)
{
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return parse_command_line(words, inherited);
}

std::string error_of(const std::string& text)
{
  try {
    parse(text);
  } catch (const Error& error) {
    return error.message();
  }
  return "no error";
}

std::string setting(const CommandLine& line, std::string_view name)
{
  const auto found = line.settings.find(find_config_option(name));
  return found == line.settings.end() ? "not set" : found->second;
}

std::string joined(const std::vector<std::string>& words)
{
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

}  // namespace

TEST_CASE("the number of ranks has many spellings")
{
  for (const char* text :
       {"-n 4 app", "-np 4 app", "--np 4 app", "-c 4 app", "--n=4 app", "-n4 app", "-np4 app"}) {
    CAPTURE(text);
    const CommandLine line = parse(text);
    REQUIRE(line.programs.size() == 1);
    CHECK(line.programs[0].ranks == 4);
    CHECK(joined(line.programs[0].arguments) == "app");
  }
  CHECK(parse("app").programs[0].ranks == 0);
}

TEST_CASE("what follows the program belongs to it")
{
  const CommandLine line = parse("-n 2 ./app -n 3 --help -x y");
  CHECK(joined(line.programs[0].arguments) == "./app -n 3 --help -x y");
  CHECK(joined(parse("-n 2 -- -odd").programs[0].arguments) == "-odd");
}

TEST_CASE("several programs make one job")
{
  const CommandLine line = parse("-n 1 -wdir /a master 1 : -n 3 --path /p worker : third");
  REQUIRE(line.programs.size() == 3);
  CHECK(line.programs[0].directory == "/a");
  CHECK(joined(line.programs[0].arguments) == "master 1");
  CHECK(line.programs[1].ranks == 3);
  CHECK(line.programs[1].directory.empty());
  CHECK(line.programs[1].search_path == "/p");
  CHECK(line.programs[2].ranks == 0);
  CHECK(error_of("-n 1 a :") == "there is no program after the last ':'");
  CHECK(error_of("-n 1") == "no program to run (mpiexec -n 4 ./app)");
}

TEST_CASE("environment rules")
{
  CHECK(joined(parse("app").programs[0].environment) == "HOME=/home/me LANG=C PATH=/bin");
  CHECK(joined(parse("-genvnone app").programs[0].environment) == "");
  CHECK(joined(parse("-genvnone -x LANG app").programs[0].environment) == "LANG=C");
  CHECK(joined(parse("-genvlist PATH,HOME -genv A 1 app").programs[0].environment) ==
        "A=1 HOME=/home/me PATH=/bin");
  CHECK(joined(parse("-x LANG=de -env B 2 app").programs[0].environment) ==
        "B=2 HOME=/home/me LANG=de PATH=/bin");

  const CommandLine line = parse("-genvnone -x A=1 -env B 2 one : -envall -env A 3 two : -x C=4 three");
  CHECK(joined(line.programs[0].environment) == "A=1 B=2");
  CHECK(joined(line.programs[1].environment) == "A=3 HOME=/home/me LANG=C PATH=/bin");
  CHECK(joined(line.programs[2].environment) == "A=1 C=4");
}

TEST_CASE("settings are options")
{
  const CommandLine line =
      parse("-bind-to core --map-by=scatter --report-bindings -l --timeout 3 --wait yield app");
  CHECK(setting(line, "bind-to") == "core");
  CHECK(setting(line, "map-by") == "scatter");
  CHECK(setting(line, "report-bindings") == "yes");
  CHECK(setting(line, "tag-output") == "yes");
  CHECK(setting(line, "timeout") == "3");
  CHECK(setting(line, "wait") == "yield");
  CHECK(setting(line, "rank-by") == "not set");
  CHECK(setting(parse("--tag-output=no app"), "tag-output") == "no");
  CHECK(setting(parse("--output tag,merge,file=x app"), "output-filename") == "x");
}

TEST_CASE("scripts for MPICH and Open MPI are understood")
{
  for (const char* text :
       {"--oversubscribe --allow-run-as-root -np 3 app", "--mca btl self,vader --mca pml ob1 -n 3 app",
        "-genvall -launcher fork -iface lo -n 3 app", "--host localhost:3 app",
        "-hosts localhost,localhost:2 app", "-H localhost:8 -n 3 app",
        "--use-hwthread-cpus --map-by ppr:3:node -n 3 app", "-disable-auto-cleanup -n 3 app",
        "--prefix /opt/openmpi -npernode 2 -n 3 app", "-ppn 2 -bind-to core:overload-allowed -np 3 app"}) {
    CAPTURE(text);
    const CommandLine line = parse(text);
    REQUIRE(line.programs.size() == 1);
    CHECK(line.programs[0].ranks == 3);
    CHECK(joined(line.programs[0].arguments) == "app");
    CHECK(line.notes.empty());
  }
}

TEST_CASE("mistakes are named, with a hint")
{
  CHECK(error_of("--bindto core app") == "unknown option --bindto (did you mean --bind-to?)");
  CHECK(error_of("--frobnicate app") == "unknown option --frobnicate (mpiexec --help lists the options)");
  CHECK(error_of("-n four app") == "-n takes a number from 1 on, not \"four\"");
  CHECK(error_of("-n 0 app") == "-n takes a number from 1 on, not \"0\"");
  CHECK(error_of("-genv A") == "-genv needs two values after it");
  CHECK(error_of("--wait often app") == "--wait takes auto|spin|yield|park, not \"often\"");
  CHECK(error_of("--oversubscribe=yes app") == "--oversubscribe takes no value");
}

TEST_CASE("ranks on the one machine are ranks")
{
  for (const char* text : {"-N 3 app", "-npernode 3 app", "--npernode 3 app", "-ppn 3 app", "-perhost 3 app",
                           "--ntasks-per-node=3 app", "--map-by ppr:3:node app",
                           "--map-by ppr:3:node:pe=2 app", "-N 5 -n 3 app", "--host localhost:8 -N 3 app"}) {
    CAPTURE(text);
    CHECK(parse(text).programs[0].ranks == 3);
  }
  const int sockets = static_cast<int>(Topology::machine().objects(Level::package).size());
  CHECK(parse("-npersocket 2 app").programs[0].ranks == 2 * sockets);
  CHECK(parse("--map-by ppr:2:socket app").programs[0].ranks == 2 * sockets);
  const CommandLine line = parse("-N 2 one : two");
  CHECK(line.programs[0].ranks == 2);
  CHECK(line.programs[1].ranks == 0);
}

TEST_CASE("options of srun, MPICH and Open MPI that are settings here")
{
  CHECK(setting(parse("--label app"), "tag-output") == "yes");
  CHECK(setting(parse("-print-rank-map app"), "report-bindings") == "yes");
  CHECK(setting(parse("--display-map app"), "report-bindings") == "yes");
  CHECK(setting(parse("--display map,bind app"), "report-bindings") == "yes");
  CHECK(setting(parse("--cpus-per-task 2 app"), "map-by") == "slot:pe=2");
  CHECK(setting(parse("--cpu-bind=verbose,cores app"), "bind-to") == "core");
  CHECK(setting(parse("--input all app"), "stdin") == "all");
  CHECK(setting(parse("--initial-errhandler MPI_ERRORS_RETURN app"), "initial-errhandler") ==
        "MPI_ERRORS_RETURN");
  CHECK(setting(parse("--output tag-fullname,directory=d app"), "output-filename") == "d/output");
  CHECK(parse("--kill-on-bad-exit --unbuffered --nodes 1 --chdir /a app").programs[0].directory == "/a");
  CHECK(parse("--cpu-set 0-3 app").notes.size() == 1);
  CHECK(parse("-x LANG app").notes.empty());
  CHECK(parse("-x NO_SUCH app").notes ==
        std::vector<std::string>{"-x NO_SUCH: there is no such variable to give to the program"});
}

TEST_CASE("what a setting does not take is an error that names it, the value, and what it takes")
{
  for (const ConfigOption& option : config_options()) {
    const std::string name(option.name);
    const std::string takes = option.is_switch() ? "yes or no" : std::string(option.argument);
    CAPTURE(name);
    // mpiexec refuses these when it knows the job.
    const bool later = name == "stdin" || name.ends_with("-to") || name.ends_with("-by");
    if (takes != "FILE" && takes != "NAMES" && takes != "TEXT" && !later)
      CHECK(error_of("--" + name + "=?! app") == "--" + name + " takes " + takes + ", not \"?!\"");
    CHECK(error_of("--" + name + "= app") == "--" + name + " takes " + takes + ", not \"\"");
  }
  CHECK(error_of("--ranks 1.5 app") == "--ranks takes N, not \"1.5\"");
  CHECK(error_of("--timeout inf app") == "--timeout takes SECONDS, not \"inf\"");
}

TEST_CASE("what an option does not take is an error that says what it does")
{
  const std::pair<const char*, const char*> errors[] = {
      {"-N none app", "-N takes a number from 1 on, not \"none\""},
      {"-npersocket 0 app", "-npersocket takes a number from 1 on, not \"0\""},
      {"--map-by ppr:x:node app", "--map-by ppr takes a number from 1 on, not \"x\""},
      {"--map-by ppr:2:shelf app",
       "there is no \"shelf\" to put ranks on: node, socket, numa, l3cache, core or hwthread"},
      {"--map-by ppr:2 app", "--map-by ppr takes a number and an object (ppr:2:socket), not \"ppr:2\""},
      {"--cpus-per-task two app", "--cpus-per-task takes a number from 1 on, not \"two\""},
      {"--output tags app",
       "--output takes tag, timestamp, merge, file=FILE or dir=DIR, separated by commas, not \"tags\""},
      {"--output file= app",
       "--output takes tag, timestamp, merge, file=FILE or dir=DIR, separated by commas, not \"file=\""},
      {"--display table app",
       "--display takes map, bind, topo or allocation, separated by commas, not \"table\""},
      {"--cpu-bind map_cpu:0 app",
       "--cpu-bind takes cores, threads, sockets, ldoms, rank or none here, not \"map_cpu:0\""},
      {"--rankfile /no/such app", "--rankfile takes a file that can be read, not \"/no/such\""},
      {"--nodes 2 app", "--nodes takes 1, not \"2\": all ranks run on this machine"},
      {"--time 5 app", "--time is not known here: --timeout SECONDS ends a job"},
      {"--multi-prog app", "--multi-prog is not known here: a ':' separates the programs of a job"},
      {"-x 1A app", "-x takes the name of a variable, not \"1A\""},
      {"-x -n app", "-x takes the name of a variable, not \"-n\""},
      {"-x =v app", "-x takes the name of a variable, not \"\""},
      {"-x A,B=2 app", "-x takes the name of a variable, not \"A,B\""},
      {"-x , app", "-x takes the name of a variable, not \",\""},
      {"-genv A=1 2 app", "-genv takes the name of a variable, not \"A=1\""},
      {"-envlist A,2 app", "-envlist takes the name of a variable, not \"2\""},
      {"-usize many app", "-usize takes a number from 1 on, not \"many\""},
      {"-host localhost:0 app", "-host takes a number from 1 on, not \"0\""},
      {"--host far.invalid:4 app", "far.invalid is another machine, and all ranks run on this one: on a cluster the same program runs "
       "under another MPI with the standard ABI, such as MPICH 5 or Open MPI 6 (docs/launching.md)"},
      {"-hostfile /no/such app", "the host file /no/such cannot be read"},
      {"-host localhost:2147483647,localhost app", "a job has at most 2147483647 ranks"},
  };
  for (const auto& [text, error] : errors) CHECK(error_of(text) == error);
}

TEST_CASE("every option stands in the table once, and those with a meaning in the help")
{
  std::vector<std::string_view> names = rule_names();
  std::ranges::sort(names);
  const auto twice = std::ranges::adjacent_find(names);
  CHECK(std::string(twice == names.end() ? "" : *twice) == "");
  for (const std::string_view name : names) CHECK(find_rule(name) != nullptr);
  const std::string help = help_text();
  for (const char* word : {"--np", "--wdir", "--configfile", "--genv NAME VALUE", "--bind-to", "--timeout"}) {
    CAPTURE(word);
    CHECK(help.find(word) != std::string::npos);
  }
  CHECK(parse("--help").action == CommandLine::Action::help);
  CHECK(parse("-n 2 --version").action == CommandLine::Action::version);
}

TEST_CASE("a config file is a command line with a program on each line")
{
  const std::string path = "ranklet-configfile-" + std::to_string(::getpid());
  std::ofstream(path) << "# the job\n-n 2 \\\n  -wdir /a ./one 'two words' # end\n\n-n 3 ./two x#y\n";
  CHECK(joined(read_config_file(path)) == "-n 2 -wdir /a ./one two words : -n 3 ./two x#y");
  const CommandLine line = parse("-l -configfile " + path);
  REQUIRE(line.programs.size() == 2);
  CHECK(line.programs[0].arguments == std::vector<std::string>{"./one", "two words"});
  CHECK(line.programs[1].ranks == 3);
  CHECK(setting(line, "tag-output") == "yes");
  std::ofstream(path) << "-n 2 -configfile " + path + " ./one\n";
  CHECK(error_of("-configfile " + path) == "a config file cannot name another");
  std::remove(path.c_str());
  CHECK(error_of("-configfile " + path) == "the config file " + path + " cannot be read");
}
