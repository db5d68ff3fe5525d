// A plain A* in C++, to hold waygrid's against: octile grid, no corner cutting, float costs, flat arrays, and a binary
// heap that knows where each cell is, so that keys are lowered in place. It returns the cost only.
//
//   g++ -O3 -march=native -o plain plain_astar.cpp && ./plain MAP SCENARIO
//
// Runs all problems of a MovingAI scenario three times and prints the time of each round.
#include <algorithm>
#include <chrono>
#include <ctime>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

namespace {

constexpr float kDiagonal = 1.41421356f;

struct Map {
    int width = 0, height = 0, stride = 0;
    std::vector<char> open;  // with a border of walls

    int at(int x, int y) const { return (y + 1) * stride + x + 1; }

    explicit Map(const char* path) {
        std::ifstream file(path);
        std::string word;
        while (file >> word && word != "map") {
            if (word == "width") file >> width;
            if (word == "height") file >> height;
        }
        stride = width + 2;
        open.assign(static_cast<size_t>(stride) * (height + 2), 0);
        for (int y = 0; y < height && file >> word; y++)
            for (int x = 0; x < width; x++) open[at(x, y)] = word[x] == '.' || word[x] == 'G' || word[x] == 'S';
    }
};

class AStar {
public:
    long expanded = 0;

    explicit AStar(const Map& map)
        : map_(map), g_(map.open.size()), round_(map.open.size()), place_(map.open.size()), heap_(map.open.size()) {}

    float cost(int start, int goal) {
        ++now_;
        goal_x_ = goal % map_.stride;
        goal_y_ = goal / map_.stride;
        size_ = 0;
        reach(start, 0);
        while (size_ > 0) {
            const int cell = pop();
            ++expanded;
            if (cell == goal) return g_[cell];
            const char* open = map_.open.data() + cell;
            const int s = map_.stride;
            const bool n = open[-s], e = open[1], u = open[s], w = open[-1];
            const float g = g_[cell];
            if (n) reach(cell - s, g + 1);
            if (e) reach(cell + 1, g + 1);
            if (u) reach(cell + s, g + 1);
            if (w) reach(cell - 1, g + 1);
            if (n && e && open[1 - s]) reach(cell + 1 - s, g + kDiagonal);
            if (u && e && open[1 + s]) reach(cell + 1 + s, g + kDiagonal);
            if (u && w && open[s - 1]) reach(cell + s - 1, g + kDiagonal);
            if (n && w && open[-s - 1]) reach(cell - s - 1, g + kDiagonal);
        }
        return -1;
    }

private:
    struct Entry { float key; int cell; };
    const Map& map_;
    std::vector<float> g_;
    std::vector<int> round_, place_;  // place in the heap, -1 once closed
    std::vector<Entry> heap_;
    int size_ = 0, now_ = 0, goal_x_ = 0, goal_y_ = 0;

    void put(int i, Entry entry) { heap_[i] = entry; place_[entry.cell] = i; }

    void reach(int cell, float g) {
        int i = size_;
        if (round_[cell] == now_) {
            i = place_[cell];
            if (i < 0 || g >= g_[cell]) return;
        } else {
            round_[cell] = now_;
            ++size_;
        }
        g_[cell] = g;
        const int dx = std::abs(cell % map_.stride - goal_x_), dy = std::abs(cell / map_.stride - goal_y_);
        const Entry entry{g + std::max(dx, dy) + (kDiagonal - 1) * std::min(dx, dy), cell};
        for (int up; i > 0 && entry.key < heap_[up = (i - 1) / 2].key; i = up) put(i, heap_[up]);
        put(i, entry);
    }

    int pop() {
        const int first = heap_[0].cell;
        place_[first] = -1;
        if (--size_ == 0) return first;
        const Entry last = heap_[size_];
        int i = 0;
        for (int child; (child = 2 * i + 1) < size_; i = child) {
            if (child + 1 < size_ && heap_[child + 1].key < heap_[child].key) ++child;
            if (!(heap_[child].key < last.key)) break;
            put(i, heap_[child]);
        }
        put(i, last);
        return first;
    }
};

}  // namespace

int main(int count, char** words) {
    if (count != 3) return std::fprintf(stderr, "usage: plain MAP SCENARIO\n"), 2;
    const Map map(words[1]);
    std::vector<int> starts, goals;
    std::vector<double> claims;
    std::ifstream scenario(words[2]);
    for (std::string line; std::getline(scenario, line);) {
        std::istringstream row(line);
        std::string bucket, name;
        int w, h, x, y, u, v;
        double claim;
        if (row >> bucket >> name >> w >> h >> x >> y >> u >> v >> claim) {
            starts.push_back(map.at(x, y));
            goals.push_back(map.at(u, v));
            claims.push_back(claim);
        }
    }
    AStar search(map);
    for (int round = 0; round < 3; round++) {
        search.expanded = 0;
        double error = 0;
        const auto begin = std::chrono::steady_clock::now();
        const auto ticks = std::clock();
        for (size_t i = 0; i < starts.size(); i++)
            error = std::max(error, std::fabs(search.cost(starts[i], goals[i]) - claims[i]));
        const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
        const double processor = static_cast<double>(std::clock() - ticks) / CLOCKS_PER_SEC;
        std::printf("total %f s, processor %f s, expanded %ld, ns/expansion %.1f, worst error %.4f\n", seconds,
                    processor, search.expanded, seconds / search.expanded * 1e9, error);
        std::fflush(stdout);  // whoever reads may stop after the first round
    }
}
