//===- Bench.h - Timing kernels beside each other -------------*- C++ -*-===//
//
// Interleaved timing: every repetition runs each candidate once, with the L2
// cache flushed in front, so that clocks and temperature are the same for all.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_RUNTIME_BENCH_H
#define TILEC_RUNTIME_BENCH_H

#include "tilec/Runtime/Device.h"

#include <functional>
#include <string>
#include <vector>

namespace tilec::runtime {

/// Something that queues work in a stream.
struct Launchable {
  std::string name;
  std::function<MaybeError(Stream &)> launch;
};

struct BenchOptions {
  unsigned repetitions = 25;
  /// All candidates run in turn for this long before anything is measured:
  /// clocks take about three seconds to settle under load.
  double warmUpSeconds = 3.0;
  /// Overwrite a buffer larger than the L2 cache in front of each run, as
  /// often as the host takes to queue the run.
  bool flushL2 = true;
};

struct Timing {
  std::string name;
  /// One for each repetition, in order, in microseconds, by events on the
  /// device.
  std::vector<double> microseconds;

  double median() const;
  double smallest() const;
};

/// The middle value, or the mean of the two middle ones; 0 for none.
double median(std::vector<double> values);

/// Bytes of the buffer that flushes an L2 cache: twice its size, at least
/// 150 MB.
size_t flushBytes(int64_t l2Bytes);

/// Flushes in front of a run that the host takes `hostMicroseconds` to queue:
/// the device is done with them when all is queued, so that it waits for nothing
/// of the run. A flush takes 20 us at least (150 MB at 7.5 TB/s); 250 at most.
unsigned countFlushes(double hostMicroseconds);

/// Times all candidates, in an order that is reversed after each repetition.
/// The result has one entry for each candidate, in their order.
Result<std::vector<Timing>> benchmark(const Device &device, Stream &stream,
                                      const std::vector<Launchable> &candidates,
                                      const BenchOptions &options);

} // namespace tilec::runtime

#endif // TILEC_RUNTIME_BENCH_H
