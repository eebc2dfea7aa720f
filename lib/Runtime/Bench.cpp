//===- Bench.cpp - Timing kernels beside each other -----------*- C++ -*-===//
//
// Events around each run; the flush in front also hides the host's launch time, and is repeated as often as that takes where programs have many launches.
//
//===----------------------------------------------------------------------===//

#include "tilec/Runtime/Bench.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>

namespace tilec::runtime {

double median(std::vector<double> values) {
  if (values.empty())
    return 0;
  std::sort(values.begin(), values.end());
  size_t middle = values.size() / 2;
  return values.size() % 2 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

double Timing::median() const { return runtime::median(microseconds); }

double Timing::smallest() const {
  return microseconds.empty() ? 0 : *std::min_element(microseconds.begin(), microseconds.end());
}

size_t flushBytes(int64_t l2Bytes) {
  constexpr int64_t least = 150'000'000;
  return size_t(std::max(2 * l2Bytes, least));
}

unsigned countFlushes(double hostMicroseconds) {
  constexpr double shortest = 20, most = 250;
  return unsigned(std::min(most, std::floor(hostMicroseconds / shortest) + 1));
}

namespace {

using Clock = std::chrono::steady_clock;

class Benchmark {
public:
  Benchmark(Stream &stream, const std::vector<Launchable> &candidates)
      : stream(stream), candidates(candidates), timings(candidates.size()), hostMicroseconds(candidates.size(), 0) {
    for (size_t i = 0; i < candidates.size(); ++i)
      timings[i].name = candidates[i].name;
  }

  MaybeError prepare(const Device &device, bool flushL2) {
    if (flushL2) {
      Result<DeviceBuffer> buffer =
          device.allocate(flushBytes(device.properties().l2Bytes), stream);
      if (!buffer)
        return buffer.error();
      flush.emplace(std::move(*buffer));
    }
    for (size_t i = 0; i < candidates.size() * 2; ++i) {
      Result<Event> event = device.createEvent();
      if (!event)
        return event.error();
      events.push_back(std::move(*event));
    }
    return std::nullopt;
  }

  /// Runs each candidate once and waits; keeps the times where `keep`.
  MaybeError round(bool reversed, bool keep) {
    ++rounds;
    for (size_t i = 0; i < candidates.size(); ++i)
      if (MaybeError error = queue(reversed ? candidates.size() - 1 - i : i))
        return error;
    if (MaybeError error = stream.synchronize())
      return error;
    for (size_t i = 0; keep && i < candidates.size(); ++i) {
      Result<double> elapsed = events[2 * i + 1].millisecondsSince(events[2 * i]);
      if (!elapsed)
        return elapsed.error();
      timings[i].microseconds.push_back(*elapsed * 1000);
    }
    return std::nullopt;
  }

  std::vector<Timing> take() { return std::move(timings); }

private:
  MaybeError queue(size_t index) {
    for (unsigned i = 0; flush && i < countFlushes(hostMicroseconds[index]); ++i)
      if (MaybeError error = stream.fill(*flush, 0))
        return error;
    if (MaybeError error = stream.record(events[2 * index]))
      return error;
    Clock::time_point begin = Clock::now();
    if (MaybeError error = candidates[index].launch(stream))
      return Error{candidates[index].name + ": " + error->message};
    // The first launch loads code.
    double took = std::chrono::duration<double, std::micro>(Clock::now() - begin).count();
    hostMicroseconds[index] = rounds > 1 ? std::max(hostMicroseconds[index], took) : 0;
    return stream.record(events[2 * index + 1]);
  }

  Stream &stream;
  const std::vector<Launchable> &candidates;
  std::optional<DeviceBuffer> flush;
  /// A start and an end for each candidate.
  std::vector<Event> events;
  std::vector<Timing> timings;
  /// What the host has taken to queue each candidate at most.
  std::vector<double> hostMicroseconds;
  unsigned rounds = 0;
};

} // namespace

Result<std::vector<Timing>> benchmark(const Device &device, Stream &stream,
                                      const std::vector<Launchable> &candidates,
                                      const BenchOptions &options) {
  Benchmark run(stream, candidates);
  if (MaybeError error = run.prepare(device, options.flushL2))
    return *error;
  Clock::time_point end = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                             std::chrono::duration<double>(options.warmUpSeconds));
  // At least once: the first launch of a kernel loads its code.
  do {
    if (MaybeError error = run.round(false, false))
      return *error;
  } while (Clock::now() < end);
  for (unsigned i = 0; i < options.repetitions; ++i)
    if (MaybeError error = run.round(i % 2 != 0, true))
      return *error;
  return run.take();
}

} // namespace tilec::runtime
