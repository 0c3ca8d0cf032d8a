#include "launch/job_description.hpp"

#include <cstdint>
#include <cstring>
#include <limits>

#include "handover/bytes.hpp"
#include "terms/error.hpp"

namespace ranklet::launch {

int JobDescription::size() const
{
  int total = 0;
  for (const Program& program : programs) total += program.ranks;
  return total;
}

int JobDescription::program_of(int rank) const
{
  int index = 0;
  for (const Program& program : programs) {
    if (rank < program.ranks) return index;
    rank -= program.ranks;
    ++index;
  }
  return -1;
}

int write_description(const JobDescription& job)
{
  ByteWriter writer;
  writer.number(job.universe_size);
  writer.number(job.verbose);
  writer.number(job.print_all_exit_codes);
  writer.number(job.is_singleton);
  writer.number(job.control);
  writer.text(job.first_program);
  writer.number(job.world);
  writer.number(static_cast<std::int64_t>(job.programs.size()));
  for (const Program& program : job.programs) {
    writer.text(program.path);
    writer.number(program.ranks);
    writer.texts(program.arguments);
    writer.text(program.directory);
    writer.texts(program.environment);
  }
  return write_to_memory(writer.bytes(), "ranklet-job");
}

JobDescription read_description(int descriptor)
{
  const std::string bytes = read_from_memory(descriptor);
  ByteReader reader(bytes);
  JobDescription job;
  job.universe_size = static_cast<int>(reader.number());
  job.verbose = reader.number() != 0;
  job.print_all_exit_codes = reader.number() != 0;
  job.is_singleton = reader.number() != 0;
  job.control = static_cast<int>(reader.number());
  job.first_program = reader.text();
  job.world = static_cast<int>(reader.number());
  int left_for_ranks = std::numeric_limits<int>::max();
  for (std::int64_t left = reader.number(); left > 0; --left) {
    Program program;
    program.path = reader.text();
    program.ranks = static_cast<int>(reader.number());
    if (program.ranks < 0 || program.ranks > left_for_ranks)
      fail(ErrorClass::intern, "a description is damaged: its programs cannot have so many ranks");
    left_for_ranks -= program.ranks;
    program.arguments = reader.texts();
    program.directory = reader.text();
    program.environment = reader.texts();
    job.programs.push_back(std::move(program));
  }
  return job;
}

std::vector<std::string> rank_variables(const JobDescription& job, int rank)
{
  const std::string number = std::to_string(rank);
  const std::string size = std::to_string(job.size());
  const std::string universe = std::to_string(job.universe_size > 0 ? job.universe_size : job.size());
  std::vector<std::string> result;
  // One machine: the local rank is the rank.
  for (const char* const name :
       {"RANKLET_RANK", "RANKLET_LOCAL_RANK", "PMI_RANK", "PMI_LOCAL_RANK", "PMIX_RANK", "MPI_LOCALRANKID",
        "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_NODE_RANK",
        "MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_LOCAL_RANK"})
    result.push_back(name + ("=" + number));
  for (const char* const name : {"RANKLET_SIZE", "RANKLET_LOCAL_SIZE", "PMI_SIZE", "PMI_LOCAL_SIZE",
                                 "MPI_LOCALNRANKS", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_SIZE",
                                 "MV2_COMM_WORLD_SIZE", "MV2_COMM_WORLD_LOCAL_SIZE"})
    result.push_back(name + ("=" + size));
  result.push_back("OMPI_UNIVERSE_SIZE=" + universe);
  result.push_back("RANKLET_UNIVERSE_SIZE=" + universe);
  return result;
}

std::vector<std::string> rank_environment(const JobDescription& job, int rank)
{
  const std::vector<std::string>& own =
      job.programs[static_cast<std::size_t>(job.program_of(rank))].environment;
  return job.is_singleton ? own : rank_environment(job, rank, own);
}

std::vector<std::string> rank_environment(const JobDescription& job, int rank,
                                          const std::vector<std::string>& inherited)
{
  std::vector<std::string> own = rank_variables(job, rank);
  std::vector<std::string> result;
  const auto is_own = [&](const std::string& entry) {
    const std::string name = entry.substr(0, entry.find('=') + 1);
    for (const std::string& variable : own)
      if (variable.starts_with(name)) return true;
    return false;
  };
  for (const std::string& entry : inherited)
    if (!is_own(entry) && !entry.starts_with("RANKLET_UNDER=") && !entry.starts_with("RANKLET_HANDOVER="))
      result.push_back(entry);
  for (std::string& variable : own) result.push_back(std::move(variable));
  return result;
}

std::string base_name(const std::string& path)
{
  return path.substr(path.rfind('/') + 1);  // npos + 1 is 0
}

std::string shown_name(const Program& program)
{
  const std::string name = base_name(program.path);
  return name == interpreter_program ? base_name(program.arguments[0]) : name;
}

std::string rank_text(const JobDescription& job, int rank, int world)
{
  std::string text = "rank " + std::to_string(rank);
  if (world > 1) text += " of world " + std::to_string(world);
  if (job.programs.size() > 1)
    text += " (" + shown_name(job.programs[static_cast<std::size_t>(job.program_of(rank))]) + ")";
  return text;
}

std::string exit_text(int code)
{
  return "exited with code " + std::to_string(code);
}

std::string signal_text(int signal)
{
  return "was killed by signal " + std::to_string(signal) + " (" + ::strsignal(signal) + ")";
}

}  // namespace ranklet::launch
