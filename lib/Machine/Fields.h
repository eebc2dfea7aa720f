//===- Fields.h - The numbers of a machine, by path -------------*- C++ -*-===//
//
// One table says which numbers a machine has: path in a machine file, unit,
// range, and whether a machine can do without. Reading, checking, describing
// and documenting all go by it.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_MACHINE_FIELDS_H
#define TILEC_LIB_MACHINE_FIELDS_H

#include "tilec/Machine/MachineSpec.h"

#include <string>
#include <variant>
#include <vector>

namespace tilec::machine {

/// A place in a MachineSpec that holds a number.
struct NumberField {
  /// Keys from the root, joined by dots, e.g. "levels.dram.bandwidth".
  std::string path;
  const char *unit;
  double min;
  double max;
  bool required;
  std::variant<SourcedInt *, SourcedReal *, std::optional<SourcedInt> *,
               std::optional<SourcedReal> *>
      slot;

  bool isInteger() const;
  bool isKnown() const;
  /// Value of a known number; integers are exact, for they are at most 2^40.
  double value() const;
  std::string source() const;
  void set(double value, std::string source, bool standIn = false) const;
  bool isStandIn() const;
  void clear() const;
};

/// A place in a MachineSpec that holds a feature.
struct FeatureField {
  const char *key;
  bool *slot;
};

/// All numbers of `spec`; of the rates, those that it has an entry for.
std::vector<NumberField> numberFields(MachineSpec &spec);

/// All features of `spec`.
std::vector<FeatureField> featureFields(MachineSpec &spec);

/// Gives every unit and type an entry, so that numberFields lists all that can be set.
void addAllRates(MachineSpec &spec);

/// Removes entries in which nothing is known.
void dropEmptyRates(MachineSpec &spec);

/// `value` as a machine file would state it: integers in full, others in up to 10 digits.
std::string formatNumber(double value);

} // namespace tilec::machine

#endif // TILEC_LIB_MACHINE_FIELDS_H
