// Heat spreads over a plate, drawn in the terminal. Each rank computes a band of rows and trades its edge
// rows with its neighbours in every step; rank 0 draws what it gathers. The coloured bar on the left shows
// whose rows they are.
//
//   mpiexec -n 4 ./heat [frames]        about 4 seconds for the 80 frames of the default
#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr int columns = 96;
constexpr int rows = 48;  // two to a line of the terminal
constexpr int steps_per_frame = 10;
constexpr double seconds_per_frame = 0.05;

// The band of one rank: its rows and one ghost row above and below.
class Band {
 public:
  Band(int first, int count) : first_(first), count_(count), now_(size()), next_(size()) {}

  double* row(int local) { return now_.data() + static_cast<std::size_t>(local + 1) * columns; }

  // One explicit step of the heat equation; the left and right edge stay cold.
  void step()
  {
    constexpr double rate = 0.24;
    for (int y = 0; y < count_; ++y) {
      const double* above = row(y - 1);
      const double* here = row(y);
      const double* below = row(y + 1);
      double* result = next_.data() + static_cast<std::size_t>(y + 1) * columns;
      for (int x = 1; x < columns - 1; ++x)
        result[x] = here[x] + rate * (above[x] + below[x] + here[x - 1] + here[x + 1] - 4 * here[x]);
    }
    now_.swap(next_);
  }

  // Two hot spots go round on the plate.
  void heat(double time)
  {
    for (int spot = 0; spot < 2; ++spot) {
      const double angle = time + spot * 3.14159265;
      const double centre_x = columns * (0.5 + 0.34 * std::cos(angle));
      const double centre_y = rows * (0.5 + 0.32 * std::sin(angle));
      for (int y = 0; y < count_; ++y)
        for (int x = 1; x < columns - 1; ++x)
          if (std::hypot(x - centre_x, 2 * (first_ + y - centre_y)) < 5) row(y)[x] = 1;
    }
  }

 private:
  std::size_t size() const { return static_cast<std::size_t>(count_ + 2) * columns; }

  int first_;
  int count_;
  std::vector<double> now_;
  std::vector<double> next_;
};

// The 6 x 6 x 6 colours of terminals, from black over red and yellow to white.
int colour(double heat)
{
  const double scaled = std::clamp(std::sqrt(heat), 0.0, 1.0) * 3;
  const int red = static_cast<int>(std::lround(std::clamp(scaled, 0.0, 1.0) * 5));
  const int green = static_cast<int>(std::lround(std::clamp(scaled - 1, 0.0, 1.0) * 5));
  const int blue = static_cast<int>(std::lround(std::clamp(scaled - 2, 0.0, 1.0) * 5));
  return 16 + 36 * red + 6 * green + blue;
}

std::string picture(const std::vector<double>& plate, const std::vector<int>& owner, double total)
{
  constexpr int rank_colours[] = {39, 208, 76, 199, 226, 51, 141, 203};
  std::string text;
  for (int y = 0; y + 1 < rows; y += 2) {
    const int rank = owner[static_cast<std::size_t>(y)];
    const bool first = y < 2 || owner[static_cast<std::size_t>(y - 2)] != rank;
    const std::string label = first ? std::to_string(rank) : "";
    text += "\033[1;38;5;" + std::to_string(rank_colours[rank % 8]) + "m" +
            std::string(3 - std::min<std::size_t>(3, label.size()), ' ') + label + " \u2588 \033[0m";
    int before_top = -1;
    int before_bottom = -1;
    for (int x = 0; x < columns; ++x) {
      const int top = colour(plate[static_cast<std::size_t>(y * columns + x)]);
      const int bottom = colour(plate[static_cast<std::size_t>((y + 1) * columns + x)]);
      if (top != before_top || bottom != before_bottom)
        text += "\033[38;5;" + std::to_string(top) + ";48;5;" + std::to_string(bottom) + "m";
      text += "\u2580";
      before_top = top;
      before_bottom = bottom;
    }
    text += "\033[0m\n";
  }
  char line[80];
  std::snprintf(line, sizeof line, "rank\u2191  heat on the plate: %8.2f\n", total);
  return text + line;
}

}  // namespace

int main(int argc, char** argv)
{
  MPI_Init(&argc, &argv);
  int rank = 0;
  int size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int frames = argc > 1 ? std::atoi(argv[1]) : 80;

  std::vector<int> counts(static_cast<std::size_t>(size));  // values of each rank's band
  std::vector<int> places(static_cast<std::size_t>(size));
  std::vector<int> owner(rows);
  for (int i = 0; i < size; ++i) {
    const int begin = i * rows / size;
    const int end = (i + 1) * rows / size;
    counts[static_cast<std::size_t>(i)] = (end - begin) * columns;
    places[static_cast<std::size_t>(i)] = begin * columns;
    std::fill(owner.begin() + begin, owner.begin() + end, i);
  }
  const int first = rank * rows / size;
  const int count = (rank + 1) * rows / size - first;
  Band band(first, count);
  // Empty bands (more ranks than rows) trade nothing: they and their neighbours see the edge of the plate.
  const auto neighbour = [&](int other) {
    return count > 0 && other >= 0 && other < size && counts[static_cast<std::size_t>(other)] > 0
               ? other
               : MPI_PROC_NULL;
  };
  const int above = neighbour(rank - 1);
  const int below = neighbour(rank + 1);

  std::vector<double> plate(rank == 0 ? static_cast<std::size_t>(rows * columns) : 0);
  for (int frame = 0; frame < frames; ++frame) {
    const double begin = MPI_Wtime();
    for (int step = 0; step < steps_per_frame; ++step) {
      band.heat((frame + static_cast<double>(step) / steps_per_frame) * 0.1);
      MPI_Sendrecv(band.row(0), columns, MPI_DOUBLE, above, 0, band.row(count), columns, MPI_DOUBLE, below, 0,
                   MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Sendrecv(band.row(count - 1), columns, MPI_DOUBLE, below, 1, band.row(-1), columns, MPI_DOUBLE,
                   above, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      band.step();
    }
    double own = 0;
    for (int i = 0; i < count * columns; ++i) own += band.row(0)[i];
    double total = 0;
    MPI_Reduce(&own, &total, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Gatherv(band.row(0), count * columns, MPI_DOUBLE, plate.data(), counts.data(), places.data(),
                MPI_DOUBLE, 0, MPI_COMM_WORLD);
    if (rank == 0) {
      // Back to where the picture begins, instead of printing one below the other.
      if (frame > 0) std::printf("\033[%dA", rows / 2 + 1);
      std::fputs(picture(plate, owner, total).c_str(), stdout);
      std::fflush(stdout);
      const double left = seconds_per_frame - (MPI_Wtime() - begin);
      if (left > 0) std::this_thread::sleep_for(std::chrono::duration<double>(left));
    }
  }
  MPI_Finalize();
  return 0;
}
