// Elementwise nests: each operation of a body, types, scalars, activations, several results.
!V = memref<?xf32, strided<[?]>>
!e = memref<1xf32, #tile.level<rf>>
!Vi = memref<?xi32, strided<[?]>>
!ei = memref<1xi32, #tile.level<rf>>
!Vb = memref<?xi8, strided<[?]>>
!eb = memref<1xi8, #tile.level<rf>>
!Vd = memref<?xf64, strided<[?]>>
!ed = memref<1xf64, #tile.level<rf>>
!G = memref<?x?xf32, strided<[?, ?]>>
!q = memref<2x2xf32, #tile.level<rf>>
#v = affine_map<(i) -> (i)>
#one = {indexing_maps = [#v], iterator_types = ["parallel"]}
#two = {indexing_maps = [#v, #v], iterator_types = ["parallel"]}
#three = {indexing_maps = [#v, #v, #v], iterator_types = ["parallel"]}
#four = {indexing_maps = [#v, #v, #v, #v], iterator_types = ["parallel"]}
#m = affine_map<(i, j) -> (i, j)>
// -----
// $OP of two vectors of f32.
// with: OP=addf, F=X[i] + Y[i]; OP=subf, F=X[i] - Y[i]; OP=mulf, F=X[i] * Y[i]; OP=maximumf, F=max(X[i]\, Y[i]);
//     OP=minimumf, F=min(X[i]\, Y[i]); OP=maxnumf, F=max(X[i]\, Y[i]); OP=minnumf, F=min(X[i]\, Y[i]); OP=divf, F=X[i] / Y[i];
//     OP=remf, F=fmod(X[i]\, Y[i])
// Y from [-4, -2, -1, 1, 2, 4]
// Z[i] = $F
tile.kernel @binary(%X: !V[%N], %Y: !V[%N], %Z: !V[%N], %N: index) {
  tile.for (%b) in (%N) by (64) at dram on block {
    tile.for (%t) in (64) by (1) at dram on thread {
      %x = tile.stage %X[%b + %t] : !V to !e
      %y = tile.stage %Y[%b + %t] : !V to !e
      %z = tile.hold init(0.0 : f32) : !e
      linalg.generic #three ins(%x, %y : !e, !e) outs(%z : !e) {
      ^bb0(%a: f32, %c: f32, %o: f32):
        %r = arith.$OP %a, %c : f32
        linalg.yield %r : f32
      }
      tile.store %z to %Z[%b + %t] : !e to !V
    }
  }
}
// -----
// $OP of two vectors of f32, NaN among them.
// with: OP=maximumf, F=nan if isnan(X[i]) or isnan(Y[i]) else max(X[i]\, Y[i]);
//     OP=minnumf, F=Y[i] if isnan(X[i]) else X[i] if isnan(Y[i]) else min(X[i]\, Y[i])
// X from [nan, inf, -inf, 1.0, -2.0]
// Y from [nan, inf, -inf, 3.0, -2.0]
// Z[i] = $F
tile.kernel @nans(%X: !V[%N], %Y: !V[%N], %Z: !V[%N], %N: index) {
  tile.for (%b) in (%N) by (32) at dram on block {
    tile.for (%t) in (32) by (1) at dram on thread {
      %x = tile.stage %X[%b + %t] : !V to !e
      %y = tile.stage %Y[%b + %t] : !V to !e
      linalg.generic #two ins(%x : !e) outs(%y : !e) {
      ^bb0(%a: f32, %c: f32):
        %r = arith.$OP %a, %c : f32
        linalg.yield %r : f32
      }
      tile.store %y to %Z[%b + %t] : !e to !V
    }
  }
}
// -----
// $OP of a vector of f32, from operands where they lie.
// with: OP=arith.negf, F=-X[i]; OP=math.absf, F=abs(X[i]); OP=math.exp, F=exp(X[i]); OP=math.exp2, F=2 ** X[i];
//     OP=math.log, F=log(X[i]); OP=math.log2, F=log2(X[i]); OP=math.sqrt, F=sqrt(X[i]); OP=math.rsqrt, F=1 / sqrt(X[i]);
//     OP=math.tanh, F=tanh(X[i]); OP=math.erf, F=erf(X[i]); OP=math.sin, F=sin(X[i]); OP=math.cos, F=cos(X[i]);
//     OP=math.floor, F=floor(X[i]); OP=math.ceil, F=ceil(X[i]); OP=math.roundeven, F=round(X[i]); OP=math.log1p, F=log1p(X[i]);
//     OP=math.expm1, F=expm1(X[i]); OP=math.trunc, F=trunc(X[i]); OP=math.round, F=floor(X[i] + 0.5)
// X from [0.25, 0.5, 1.0, 1.5, 2.5, 7.75]
// Y[i] ~ $F
// shapes: N=70
!d = memref<4xf32, strided<[?], offset: ?>>
tile.kernel @unary(%X: !V[%N], %Y: !V[%N], %N: index) {
  tile.for (%b) in (%N) by (128) at dram on block {
    tile.for (%t) in (128) by (4) at dram on thread {
      %x = tile.part %X[%b + %t] : !V to !d
      %y = tile.part %Y[%b + %t] : !V to !d
      linalg.generic #two ins(%x : !d) outs(%y : !d) {
      ^bb0(%a: f32, %o: f32):
        %r = $OP %a : f32
        linalg.yield %r : f32
      }
    }
  }
}
// -----
// $OP of two vectors of i32.
// with: OP=addi, F=X[i] + Y[i]; OP=subi, F=X[i] - Y[i]; OP=muli, F=X[i] * Y[i]; OP=andi, F=X[i] & Y[i]; OP=ori, F=X[i] | Y[i];
//     OP=xori, F=X[i] ^ Y[i]; OP=maxsi, F=max(X[i]\, Y[i]); OP=minsi, F=min(X[i]\, Y[i]);
//     OP=divsi, F=trunc(X[i] / Y[i]); OP=remsi, F=X[i] - Y[i] * trunc(X[i] / Y[i]); OP=divui, F=(X[i] % 2**32) // (Y[i] % 2**32);
//     OP=remui, F=(X[i] % 2**32) % (Y[i] % 2**32); OP=maxui, F=max(X[i]\, Y[i]\, key=lambda v: v % 2**32);
//     OP=minui, F=min(X[i]\, Y[i]\, key=lambda v: v % 2**32)
// X from [-2147483647, -100, -7, -1, 0, 1, 9, 2147483647, 65537, 1431655765]
// Y from [-2147483648, -100, -3, -1, 1, 2, 9, 2147483647, 65537]
// Z[i] = $F
// shapes: N=99
tile.kernel @ints(%X: !Vi[%N], %Y: !Vi[%N], %Z: !Vi[%N], %N: index) {
  tile.for (%b) in (%N) by (64) at dram on block {
    tile.for (%t) in (64) by (1) at dram on thread {
      %x = tile.stage %X[%b + %t] : !Vi to !ei
      %y = tile.stage %Y[%b + %t] : !Vi to !ei
      %z = tile.hold init(0 : i32) : !ei
      linalg.generic #three ins(%x, %y : !ei, !ei) outs(%z : !ei) {
      ^bb0(%a: i32, %c: i32, %o: i32):
        %r = arith.$OP %a, %c : i32
        linalg.yield %r : i32
      }
      tile.store %z to %Z[%b + %t] : !ei to !Vi
    }
  }
}
// -----
// $OP of vectors of i32 by 0 to 31.
// with: OP=shli, F=X[i] << Y[i]; OP=shrsi, F=X[i] >> Y[i]; OP=shrui, F=(X[i] % 2**32) >> Y[i]
// X from [-2147483648, -100, -1, 0, 1, 9, 2147483647]
// Y from [0, 1, 5, 30, 31]
// Z[i] = $F
// shapes: N=99
tile.kernel @shifts(%X: !Vi[%N], %Y: !Vi[%N], %Z: !Vi[%N], %N: index) {
  tile.for (%b) in (%N) by (64) at dram on block {
    tile.for (%t) in (64) by (1) at dram on thread {
      %x = tile.stage %X[%b + %t] : !Vi to !ei
      %y = tile.stage %Y[%b + %t] : !Vi to !ei
      linalg.generic #two ins(%x : !ei) outs(%y : !ei) {
      ^bb0(%a: i32, %c: i32):
        %r = arith.$OP %a, %c : i32
        linalg.yield %r : i32
      }
      tile.store %y to %Z[%b + %t] : !ei to !Vi
    }
  }
}
// -----
// $OP of two vectors of i8, which wraps at 8 bits.
// with: OP=addi, F=X[i] + Y[i]; OP=muli, F=X[i] * Y[i]; OP=shrsi, F=X[i] >> (Y[i] & 7); OP=divsi, F=trunc(X[i] / (Y[i] & 7));
//     OP=maxui, F=max(X[i]\, Y[i] & 7\, key=lambda v: v % 256)
// X from range(-128, 128)
// Y from [1, 3, 7, 4]
// Y[i] = $F
// shapes: N=131
tile.kernel @bytes(%X: !Vb[%N], %Y: !Vb[%N], %N: index) {
  tile.for (%b) in (%N) by (64) at dram on block {
    tile.for (%t) in (64) by (1) at dram on thread {
      %x = tile.stage %X[%b + %t] : !Vb to !eb
      %y = tile.stage %Y[%b + %t] : !Vb to !eb
      linalg.generic #two ins(%x : !eb) outs(%y : !eb) {
      ^bb0(%a: i8, %c: i8):
        %r = arith.$OP %a, %c : i8
        linalg.yield %r : i8
      }
      tile.store %y to %Y[%b + %t] : !eb to !Vb
    }
  }
}
// -----
// i8 through shared memory, widened with sign to i32.
// Y[i] = X[i] * 3
// X from range(-128, 128)
!s = memref<64xi8, #tile.level<smem>>
tile.kernel @widen(%X: !Vb[%N], %Y: !Vi[%N], %N: index) {
  tile.for (%b) in (%N) by (64) at dram on block {
    %s = tile.stage %X[%b] : !Vb to !s
    tile.for (%t) in (64) by (1) at smem on thread {
      %x = tile.stage %s[%t] : !s to !eb
      %y = tile.hold init(0 : i32) : !ei
      linalg.generic #two ins(%x : !eb) outs(%y : !ei) {
      ^bb0(%a: i8, %o: i32):
        %three = arith.constant 3 : i32
        %w = arith.extsi %a : i8 to i32
        %r = arith.muli %w, %three : i32
        linalg.yield %r : i32
      }
      tile.store %y to %Y[%b + %t] : !ei to !Vi
    }
  }
}
// -----
// i8 without sign, widened to i32.
// Y[i] = X[i] % 256
// X from range(-128, 128)
tile.kernel @widen_unsigned(%X: !Vb[%N], %Y: !Vi[%N], %N: index) {
  tile.for (%b) in (%N) by (64) at dram on block {
    tile.for (%t) in (64) by (1) at dram on thread {
      %x = tile.stage %X[%b + %t] : !Vb to !eb
      %y = tile.hold init(0 : i32) : !ei
      linalg.generic #two ins(%x : !eb) outs(%y : !ei) {
      ^bb0(%a: i8, %o: i32):
        %w = arith.extui %a : i8 to i32
        linalg.yield %w : i32
      }
      tile.store %y to %Y[%b + %t] : !ei to !Vi
    }
  }
}
// -----
// i32 cut to i8.
// Y[i] = X[i]
// X from [-2147483648, -129, -128, -1, 0, 127, 128, 255, 256, 2147483647]
tile.kernel @narrow(%X: !Vi[%N], %Y: !Vb[%N], %N: index) {
  tile.for (%b) in (%N) by (64) at dram on block {
    tile.for (%t) in (64) by (1) at dram on thread {
      %x = tile.stage %X[%b + %t] : !Vi to !ei
      %y = tile.hold init(0 : i8) : !eb
      linalg.generic #two ins(%x : !ei) outs(%y : !eb) {
      ^bb0(%a: i32, %o: i8):
        %w = arith.trunci %a : i32 to i8
        linalg.yield %w : i8
      }
      tile.store %y to %Y[%b + %t] : !eb to !Vb
    }
  }
}
// -----
// $OP from i32 to f32.
// with: OP=sitofp, F=X[i]; OP=uitofp, F=X[i] % 2**32
// X from [-2147483648, -8388608, -1, 0, 1, 16777216, 1073741824]
// Y[i] ~ $F
tile.kernel @to_float(%X: !Vi[%N], %Y: !V[%N], %N: index) {
  tile.for (%b) in (%N) by (64) at dram on block {
    tile.for (%t) in (64) by (1) at dram on thread {
      %x = tile.stage %X[%b + %t] : !Vi to !ei
      %y = tile.hold init(0.0 : f32) : !e
      linalg.generic #two ins(%x : !ei) outs(%y : !e) {
      ^bb0(%a: i32, %o: f32):
        %w = arith.$OP %a : i32 to f32
        linalg.yield %w : f32
      }
      tile.store %y to %Y[%b + %t] : !e to !V
    }
  }
}
// -----
// f32 to i32, towards zero.
// X from [-2.75, -1.0, -0.5, 0.0, 0.75, 1.5, 16777216.0]
// Y[i] = trunc(X[i])
tile.kernel @to_int(%X: !V[%N], %Y: !Vi[%N], %N: index) {
  tile.for (%b) in (%N) by (64) at dram on block {
    tile.for (%t) in (64) by (1) at dram on thread {
      %x = tile.stage %X[%b + %t] : !V to !e
      %y = tile.hold init(0 : i32) : !ei
      linalg.generic #two ins(%x : !e) outs(%y : !ei) {
      ^bb0(%a: f32, %o: i32):
        %w = arith.fptosi %a : f32 to i32
        linalg.yield %w : i32
      }
      tile.store %y to %Y[%b + %t] : !ei to !Vi
    }
  }
}
// -----
// f32 widened to f64, squared there, and rounded back.
// X from [3.0, 1.0000001192092896, -16777215.0, 0.125]
// Y[i] ~ X[i] * X[i]
tile.kernel @through_f64(%X: !V[%N], %Y: !V[%N], %Z: !Vd[%N], %N: index) {
  tile.for (%b) in (%N) by (64) at dram on block {
    tile.for (%t) in (64) by (1) at dram on thread {
      %x = tile.stage %X[%b + %t] : !V to !e
      %y = tile.hold init(0.0 : f32) : !e
      linalg.generic #two ins(%x : !e) outs(%y : !e) {
      ^bb0(%a: f32, %o: f32):
        %w = arith.extf %a : f32 to f64
        %s = arith.mulf %w, %w : f64
        %r = arith.truncf %s : f64 to f32
        linalg.yield %r : f32
      }
      tile.store %y to %Y[%b + %t] : !e to !V
    }
  }
}
// -----
// Y += a X in f64.
// Y[i] = Y[i] + a * X[i]
tile.kernel @daxpy(%X: !Vd[%N], %Y: !Vd[%N], %N: index, %a: f64) {
  tile.for (%b) in (%N) by (64) at dram on block {
    tile.for (%t) in (64) by (1) at dram on thread {
      %x = tile.stage %X[%b + %t] : !Vd to !ed
      %y = tile.stage %Y[%b + %t] : !Vd to !ed
      linalg.generic #two ins(%x : !ed) outs(%y : !ed) {
      ^bb0(%u: f64, %v: f64):
        %p = arith.mulf %a, %u : f64
        %r = arith.addf %v, %p : f64
        linalg.yield %r : f64
      }
      tile.store %y to %Y[%b + %t] : !ed to !Vd
    }
  }
}
// -----
// Y = a X + c Y in place, the scalars integers.
// Y[i] = a * X[i] + c * Y[i]
// a from [-2147483648, 2147483647, 77777]
// X from [-2147483648, 2147483647, 5]
tile.kernel @axpby(%X: !Vi[%N], %Y: !Vi[%N], %N: index, %a: i32, %c: i32) {
  tile.for (%b) in (%N) by (96) at dram on block {
    tile.for (%t) in (96) by (1) at dram on thread {
      %x = tile.stage %X[%b + %t] : !Vi to !ei
      %y = tile.stage %Y[%b + %t] : !Vi to !ei
      linalg.generic #two ins(%x : !ei) outs(%y : !ei) {
      ^bb0(%u: i32, %v: i32):
        %p = arith.muli %a, %u : i32
        %q = arith.muli %c, %v : i32
        %r = arith.addi %p, %q : i32
        linalg.yield %r : i32
      }
      tile.store %y to %Y[%b + %t] : !ei to !Vi
    }
  }
}
// -----
// select by cmpi $P.
// with: P=eq, F=X[i] == Y[i]; P=ne, F=X[i] != Y[i]; P=slt, F=X[i] < Y[i]; P=sge, F=X[i] >= Y[i];
//     P=ult, F=X[i] % 2**32 < Y[i] % 2**32; P=uge, F=X[i] % 2**32 >= Y[i] % 2**32
// Z[i] = X[i] if $F else Y[i] + 10
// shapes: N=77
tile.kernel @select(%X: !Vi[%N], %Y: !Vi[%N], %Z: !Vi[%N], %N: index) {
  tile.for (%b) in (%N) by (32) at dram on block {
    tile.for (%t) in (32) by (1) at dram on thread {
      %x = tile.stage %X[%b + %t] : !Vi to !ei
      %y = tile.stage %Y[%b + %t] : !Vi to !ei
      %z = tile.hold init(0 : i32) : !ei
      linalg.generic #three ins(%x, %y : !ei, !ei) outs(%z : !ei) {
      ^bb0(%u: i32, %v: i32, %o: i32):
        %ten = arith.constant 10 : i32
        %c = arith.cmpi $P, %u, %v : i32
        %w = arith.addi %v, %ten : i32
        %r = arith.select %c, %u, %w : i32
        linalg.yield %r : i32
      }
      tile.store %z to %Z[%b + %t] : !ei to !Vi
    }
  }
}
// -----
// select by cmpf $P, NaN among the operands.
// with: P=olt, F=X[i] < Y[i]; P=une, F=X[i] != Y[i]; P=ord, F=not isnan(X[i] + Y[i]); P=ult, F=not X[i] >= Y[i];
//     P=ueq, F=X[i] == Y[i] or isnan(X[i] + Y[i]); P=oge, F=X[i] >= Y[i]; P=one, F=X[i] < Y[i] or X[i] > Y[i]
// X from [nan, 1.0, 2.0]
// Y from [nan, 1.0, 2.0]
// Z[i] = 1 if $F else 0
// shapes: N=77
tile.kernel @compare(%X: !V[%N], %Y: !V[%N], %Z: !V[%N], %N: index) {
  tile.for (%b) in (%N) by (32) at dram on block {
    tile.for (%t) in (32) by (1) at dram on thread {
      %x = tile.stage %X[%b + %t] : !V to !e
      %y = tile.stage %Y[%b + %t] : !V to !e
      %z = tile.hold init(0.0 : f32) : !e
      linalg.generic #three ins(%x, %y : !e, !e) outs(%z : !e) {
      ^bb0(%u: f32, %v: f32, %o: f32):
        %zero = arith.constant 0.0 : f32
        %one = arith.constant 1.0 : f32
        %c = arith.cmpf $P, %u, %v : f32
        %r = arith.select %c, %one, %zero : f32
        linalg.yield %r : f32
      }
      tile.store %z to %Z[%b + %t] : !e to !V
    }
  }
}
// -----
// Sigmoid.
// Y[i] ~ 1 / (1 + exp(-X[i]))
tile.kernel @sigmoid(%X: !V[%N], %Y: !V[%N], %N: index) {
  tile.for (%b) in (%N) by (64) at dram on block {
    tile.for (%t) in (64) by (1) at dram on thread {
      %x = tile.stage %X[%b + %t] : !V to !e
      linalg.generic #one outs(%x : !e) {
      ^bb0(%v: f32):
        %one = arith.constant 1.0 : f32
        %n = arith.negf %v : f32
        %ex = math.exp %n : f32
        %d = arith.addf %one, %ex : f32
        %r = arith.divf %one, %d : f32
        linalg.yield %r : f32
      }
      tile.store %x to %Y[%b + %t] : !e to !V
    }
  }
}
// -----
// Gelu by erf, four elements a thread.
// Y[i] ~ X[i] * (1 + erf(X[i] * 0.70710678)) / 2
!w = memref<4xf32, #tile.level<rf>>
tile.kernel @gelu(%X: !V[%N], %Y: !V[%N], %N: index) {
  tile.for (%b) in (%N) by (128) at dram on block {
    tile.for (%t) in (128) by (4) at dram on thread {
      %x = tile.stage %X[%b + %t] : !V to !w
      linalg.generic #one outs(%x : !w) {
      ^bb0(%v: f32):
        %one = arith.constant 1.0 : f32
        %half = arith.constant 0.5 : f32
        %root = arith.constant 0.70710678 : f32
        %s = arith.mulf %v, %root : f32
        %f = math.erf %s : f32
        %g = arith.addf %one, %f : f32
        %h = arith.mulf %v, %g : f32
        %r = arith.mulf %half, %h : f32
        linalg.yield %r : f32
      }
      tile.store %x to %Y[%b + %t] : !w to !V
    }
  }
}
// -----
// Leaky relu and its derivative: two results of one computation.
// Y[i] = X[i] if X[i] > 0 else X[i] / 4
// D[i] = 1 if X[i] > 0 else 0.25
tile.kernel @leaky(%X: !V[%N], %Y: !V[%N], %D: !V[%N], %N: index) {
  tile.for (%b) in (%N) by (64) at dram on block {
    tile.for (%t) in (64) by (1) at dram on thread {
      %x = tile.stage %X[%b + %t] : !V to !e
      %y = tile.hold init(0.0 : f32) : !e
      %d = tile.hold init(0.0 : f32) : !e
      linalg.generic #three ins(%x : !e) outs(%y, %d : !e, !e) {
      ^bb0(%v: f32, %o: f32, %p: f32):
        %zero = arith.constant 0.0 : f32
        %one = arith.constant 1.0 : f32
        %slope = arith.constant 0.25 : f32
        %c = arith.cmpf ogt, %v, %zero : f32
        %s = arith.select %c, %one, %slope : f32
        %r = arith.mulf %v, %s : f32
        linalg.yield %r, %s : f32, f32
      }
      tile.store %y to %Y[%b + %t] : !e to !V
      tile.store %d to %D[%b + %t] : !e to !V
    }
  }
}
// -----
// A complex product in place, parts in two vectors: both results need both old values.
// A[i] = A[i] * C[i] - B[i] * D[i]
// B[i] = A[i] * D[i] + B[i] * C[i]
tile.kernel @complex(%A: !V[%N], %B: !V[%N], %C: !V[%N], %D: !V[%N], %N: index) {
  tile.for (%b) in (%N) by (64) at dram on block {
    tile.for (%t) in (64) by (1) at dram on thread {
      %ar = tile.stage %A[%b + %t] : !V to !e
      %ai = tile.stage %B[%b + %t] : !V to !e
      %cr = tile.stage %C[%b + %t] : !V to !e
      %ci = tile.stage %D[%b + %t] : !V to !e
      linalg.generic #four ins(%cr, %ci : !e, !e) outs(%ar, %ai : !e, !e) {
      ^bb0(%c: f32, %d: f32, %a: f32, %e: f32):
        %p = arith.mulf %a, %c : f32
        %q = arith.mulf %e, %d : f32
        %r = arith.subf %p, %q : f32
        %s = arith.mulf %a, %d : f32
        %u = arith.mulf %e, %c : f32
        %w = arith.addf %s, %u : f32
        linalg.yield %r, %w : f32, f32
      }
      tile.store %ar to %A[%b + %t] : !e to !V
      tile.store %ai to %B[%b + %t] : !e to !V
    }
  }
}
// -----
// Number of the element, by linalg.index within a tile.
// Y[i] = i % 4
tile.kernel @iota(%Y: !Vi[%N], %N: index) {
  tile.for (%b) in (%N) by (64) at dram on block {
    tile.for (%t) in (64) by (4) at dram on thread {
      %y = tile.hold init(0 : i32) : memref<4xi32, #tile.level<rf>>
      linalg.generic #one outs(%y : memref<4xi32, #tile.level<rf>>) {
      ^bb0(%o: i32):
        %i = linalg.index 0 : index
        %r = arith.index_cast %i : index to i32
        linalg.yield %r : i32
      }
      tile.store %y to %Y[%b + %t] : memref<4xi32, #tile.level<rf>> to !Vi
    }
  }
}
// -----
// Number of the element, by an induction variable used in the body.
// Y[i] = 3 * i + 1
tile.kernel @iota_loop(%Y: !Vi[%N], %N: index) {
  tile.for (%b) in (%N) by (64) at dram on block {
    tile.for (%t) in (64) by (1) at dram on thread {
      %s = arith.addi %b, %t : index
      %n = arith.index_cast %s : index to i32
      %y = tile.hold init(0 : i32) : !ei
      linalg.generic #one outs(%y : !ei) {
      ^bb0(%o: i32):
        %three = arith.constant 3 : i32
        %one = arith.constant 1 : i32
        %p = arith.muli %n, %three : i32
        %r = arith.addi %p, %one : i32
        linalg.yield %r : i32
      }
      tile.store %y to %Y[%b + %t] : !ei to !Vi
    }
  }
}
// -----
// A fill: linalg.fill of a held tile.
// Y[i, j] = 7
tile.kernel @fill(%Y: !G[%M, %N], %M: index, %N: index) {
  %seven = arith.constant 7.0 : f32
  tile.for (%i, %j) in (%M, %N) by (16, 16) at dram on block {
    tile.for (%p, %r) in (16, 16) by (2, 2) at dram on thread {
      %y = tile.hold init(0.0 : f32) : !q
      linalg.fill ins(%seven : f32) outs(%y : !q)
      tile.store %y to %Y[%i + %p, %j + %r] : !q to !G
    }
  }
}
// -----
// Named operations: Z = X + Y by linalg.add of tiles.
// Z[i, j] = X[i, j] + Y[i, j]
tile.kernel @named(%X: !G[%M, %N], %Y: !G[%M, %N], %Z: !G[%M, %N], %M: index, %N: index) {
  tile.for (%i, %j) in (%M, %N) by (16, 16) at dram on block {
    tile.for (%p, %r) in (16, 16) by (2, 2) at dram on thread {
      %x = tile.stage %X[%i + %p, %j + %r] : !G to !q
      %y = tile.stage %Y[%i + %p, %j + %r] : !G to !q
      %z = tile.hold init(0.0 : f32) : !q
      linalg.add ins(%x, %y : !q, !q) outs(%z : !q)
      tile.store %z to %Z[%i + %p, %j + %r] : !q to !G
    }
  }
}
// -----
// A broadcast: Z = X + a row vector R and a column vector C.
// Z[i, j] = X[i, j] + R[j] - C[i]
tile.kernel @broadcast(%X: !G[%M, %N], %R: !V[%N], %C: !V[%M], %Z: !G[%M, %N], %M: index, %N: index) {
  tile.for (%i, %j) in (%M, %N) by (16, 16) at dram on block {
    tile.for (%p, %s) in (16, 16) by (2, 2) at dram on thread {
      %x = tile.stage %X[%i + %p, %j + %s] : !G to !q
      %r = tile.stage %R[%j + %s] : !V to memref<2xf32, #tile.level<rf>>
      %c = tile.stage %C[%i + %p] : !V to memref<2xf32, #tile.level<rf>>
      linalg.generic {indexing_maps = [affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i)>, #m],
                      iterator_types = ["parallel", "parallel"]}
          ins(%r, %c : memref<2xf32, #tile.level<rf>>, memref<2xf32, #tile.level<rf>>) outs(%x : !q) {
      ^bb0(%a: f32, %b: f32, %o: f32):
        %s1 = arith.addf %o, %a : f32
        %s2 = arith.subf %s1, %b : f32
        linalg.yield %s2 : f32
      }
      tile.store %x to %Z[%i + %p, %j + %s] : !q to !G
    }
  }
}
// -----
// A load inside of a body.
// refused: 'memref.load' is no scalar op.*ins or outs
tile.kernel @loads(%X: !V[%N], %Y: !V[%N], %N: index) {
  tile.for (%b) in (%N) by (64) at dram on block {
    tile.for (%t) in (64) by (1) at dram on thread {
      %y = tile.stage %Y[%b + %t] : !V to !e
      linalg.generic #one outs(%y : !e) {
      ^bb0(%o: f32):
        %zero = arith.constant 0 : index
        %r = memref.load %X[%zero] : !V
        linalg.yield %r : f32
      }
      tile.store %y to %Y[%b + %t] : !e to !V
    }
  }
}
// -----
// $TYPE through registers.
// with: TYPE=i16; TYPE=i64
// Y[i] = X[i]
// X from range(-9999, 9999)
tile.kernel @types(%X: memref<?x$TYPE>[%N], %Y: memref<?x$TYPE>[%N], %N: index) {
  tile.for (%b) in (%N) by (64) at dram on block {
    tile.for (%t) in (64) by (1) at dram on thread {
      %x = tile.stage %X[%b + %t] : memref<?x$TYPE> to memref<1x$TYPE, #tile.level<rf>>
      tile.store %x to %Y[%b + %t] : memref<1x$TYPE, #tile.level<rf>> to memref<?x$TYPE>
    }
  }
}
// -----
// $TYPE through registers.
// with: TYPE=f16; TYPE=bf16
// Y[i] = X[i]
// X from range(-99, 100)
tile.kernel @types(%X: memref<?x$TYPE>[%N], %Y: memref<?x$TYPE>[%N], %N: index) {
  tile.for (%b) in (%N) by (64) at dram on block {
    tile.for (%t) in (64) by (1) at dram on thread {
      %x = tile.stage %X[%b + %t] : memref<?x$TYPE> to memref<1x$TYPE, #tile.level<rf>>
      tile.store %x to %Y[%b + %t] : memref<1x$TYPE, #tile.level<rf>> to memref<?x$TYPE>
    }
  }
}
// -----
// Elements of i1.
// refused: has a memref of 'i1'; elements are .*rule C3
tile.kernel @types(%X: memref<?xi1>[%N], %Y: memref<?xi1>[%N], %N: index) {
  tile.for (%b) in (%N) by (64) at dram on block {
    tile.for (%t) in (64) by (1) at dram on thread {
      %x = tile.stage %X[%b + %t] : memref<?xi1> to memref<1xi1, #tile.level<rf>>
      tile.store %x to %Y[%b + %t] : memref<1xi1, #tile.level<rf>> to memref<?xi1>
    }
  }
}
