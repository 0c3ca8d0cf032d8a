// C++ streams: formatting state and buffers belong to the rank, with stdio or without (argument "alone").
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <string>
#include <thread>

int main(int argc, char** argv)
{
  const int rank = std::atoi(std::getenv("RANK"));
  const bool alone = argc > 1 && std::strcmp(argv[1], "alone") == 0;
  if (alone) std::ios_base::sync_with_stdio(false);
  // Odd ranks print in hexadecimal: the flag must not show elsewhere.
  if (rank % 2 == 1) std::cout << std::hex << std::showbase;
  std::cout << std::setfill(rank % 2 == 1 ? '*' : '.');
  for (int i = 0; i < 200; ++i) {
    std::cout << "r" << rank << ' ' << std::setw(6) << i * 16 << ' ';
    if (!alone) std::printf("p%d", rank);
    if (i % 7 == 0) std::this_thread::yield();
    if (i % 3 == 0)
      std::cout << std::endl;
    else
      std::cout << '\n';
    if (i % 50 == 0) std::cerr << "e" << rank << ' ' << i << '\n';
    if (i % 50 == 0) std::clog << "c" << rank << ' ' << i << '\n';
  }
  std::wcout << L"w" << rank << L" wide" << std::endl;
  std::string word;
  int words = 0;
  while (std::cin >> word) ++words;
  std::cout << std::dec << "r" << rank << " words " << words;
  return 0;
}
