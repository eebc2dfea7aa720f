//===- Check.cpp - Do the numbers of a machine agree? -----------*- C++ -*-===//

#include "Check.h"

#include "Fields.h"

#include <cctype>
#include <cmath>
#include <cstdlib>

namespace tilec::machine {

namespace {

/// Applies rules in order and keeps the first violation.
class Checker {
public:
  explicit Checker(MachineSpec &spec) : fields(numberFields(spec)), features(spec.features) {}

  std::optional<Violation> check() {
    checkPresence();
    checkShared();
    checkThreads();
    atMost("clocks.load", "clocks.boost");
    checkFeatures();
    return violation;
  }

private:
  void checkPresence() {
    for (const NumberField &field : fields)
      if (field.required && !field.isKnown())
        report({field.path}, "missing number '" + field.path + "' (" + field.unit + ")");
  }

  void checkShared() {
    if (sum("limits.smem_per_block", "limits.smem_reserved_per_block") >
        get("levels.smem.capacity"))
      report({"limits.smem_per_block", "limits.smem_reserved_per_block", "levels.smem.capacity"},
             "limits.smem_per_block + limits.smem_reserved_per_block is " +
                 formatNumber(sum("limits.smem_per_block", "limits.smem_reserved_per_block")) +
                 " B, but levels.smem.capacity is " + show("levels.smem.capacity"));
    double ports = get("limits.smem_banks") * get("limits.smem_bank_width");
    if (get("levels.smem.bandwidth") > ports)
      report({"levels.smem.bandwidth", "limits.smem_banks", "limits.smem_bank_width"},
             "levels.smem.bandwidth is " + show("levels.smem.bandwidth") +
                 ", but limits.smem_banks * limits.smem_bank_width is " + formatNumber(ports) +
                 " B/cycle/SM");
    multiple("limits.line_bytes", "limits.sector_bytes");
  }

  void checkThreads() {
    if (std::fmod(get("levels.rf.capacity"), 4) != 0)
      report({"levels.rf.capacity"}, "levels.rf.capacity is " + show("levels.rf.capacity") +
                                         ", not a multiple of the 4 bytes of a register");
    double registers = get("levels.rf.capacity") / 4;
    if (get("limits.registers_per_thread") * get("limits.warp_size") > registers)
      report({"limits.registers_per_thread", "limits.warp_size", "levels.rf.capacity"},
             "limits.registers_per_thread * limits.warp_size is " +
                 formatNumber(get("limits.registers_per_thread") * get("limits.warp_size")) +
                 " registers, but levels.rf.capacity holds " + formatNumber(registers));
    atMost("limits.threads_per_block", "limits.threads_per_sm");
    multiple("limits.threads_per_block", "limits.warp_size");
    multiple("limits.threads_per_sm", "limits.warp_size");
  }

  void checkFeatures() {
    needs("features.dsmem", features.dsmem, "features.clusters", features.clusters);
    needs("features.multicast", features.multicast, "features.clusters", features.clusters);
    for (const NumberField &field : fields)
      if (field.path.rfind("units.wgmma.", 0) == 0 && field.isKnown() && !features.wgmma)
        report({"features.wgmma", field.path},
               field.path + " is given, but features.wgmma is false");
  }

  void needs(const char *path, bool present, const char *needed, bool neededPresent) {
    if (present && !neededPresent)
      report({path, needed}, std::string(path) + " is true, but " + needed + " is false");
  }

  const NumberField &field(const std::string &path) const {
    for (const NumberField &candidate : fields)
      if (candidate.path == path)
        return candidate;
    std::abort();
  }
  bool known(const std::string &path) const { return field(path).isKnown(); }
  /// Only asked for required numbers; 0 if one is missing, which was reported before.
  double get(const std::string &path) const { return known(path) ? field(path).value() : 0; }
  double sum(const char *a, const char *b) const { return get(a) + get(b); }
  std::string show(const std::string &path) const {
    return formatNumber(get(path)) + " " + field(path).unit;
  }

  void atMost(const char *small, const char *large) {
    if (known(small) && known(large) && get(small) > get(large))
      report({small, large},
             std::string(small) + " is " + show(small) + ", but " + large + " is " + show(large));
  }
  void multiple(const char *whole, const char *part) {
    if (known(whole) && known(part) && std::fmod(get(whole), get(part)) != 0)
      report({whole, part}, std::string(whole) + " is " + show(whole) + ", not a multiple of " +
                                part + ", which is " + show(part));
  }
  void report(std::vector<std::string> paths, std::string message) {
    if (!violation)
      violation = Violation{std::move(paths), std::move(message)};
  }

  std::vector<NumberField> fields;
  Features features;
  std::optional<Violation> violation;
};

} // namespace

std::optional<Violation> findViolation(MachineSpec &spec) {
  if (spec.name.empty())
    return Violation{{"name"}, "missing 'name'"};
  if (!isArch(spec.arch, /*suffix=*/false))
    return Violation{{"arch"},
                     spec.arch.empty() ? std::string("missing 'arch'")
                                       : "expected arch to be 'sm_' and two or three "
                                         "digits, got '" +
                                             spec.arch + "'"};
  if (spec.featureArch != spec.arch &&
      (spec.featureArch.rfind(spec.arch, 0) != 0 || !isArch(spec.featureArch, /*suffix=*/true)))
    return Violation{{"feature_arch", "arch"},
                     "expected feature_arch to be '" + spec.arch + "' and a letter, got '" +
                         spec.featureArch + "'"};
  return Checker(spec).check();
}

std::optional<Violation> findOutOfRange(MachineSpec &spec) {
  for (const NumberField &field : numberFields(spec))
    if (field.isKnown() && !(field.value() >= field.min && field.value() <= field.max))
      return Violation{{field.path},
                       "expected '" + field.path + "' to lie between " + formatNumber(field.min) + " and " + formatNumber(field.max) + " " +
                           field.unit + ", got " + formatNumber(field.value())};
  return std::nullopt;
}

bool isArch(const std::string &text, bool suffix) {
  if (text.rfind("sm_", 0) != 0)
    return false;
  std::string rest = text.substr(3);
  if (suffix) {
    if (rest.empty() || !std::islower(static_cast<unsigned char>(rest.back())))
      return false;
    rest.pop_back();
  }
  if (rest.size() < 2 || rest.size() > 3)
    return false;
  for (char c : rest)
    if (!std::isdigit(static_cast<unsigned char>(c)))
      return false;
  return true;
}

} // namespace tilec::machine
