package io.outrigger.xds.decode;

import io.envoyproxy.envoy.type.v3.FractionalPercent;
import io.outrigger.config.route.Fraction;
import java.util.Optional;

/** Decodes {@code FractionalPercent}: an unsigned numerator and one of three denominators. */
final class FractionDecoder {
  private FractionDecoder() {}

  static Optional<Fraction> decode(FractionalPercent proto, FieldErrors errors) {
    int denominator =
        switch (proto.getDenominator()) {
          case HUNDRED -> 100;
          case TEN_THOUSAND -> 10_000;
          case MILLION -> 1_000_000;
          case UNRECOGNIZED -> 0;
        };
    if (denominator == 0) {
      errors.at("denominator").add("unknown value " + proto.getDenominatorValue());
      return Optional.empty();
    }
    return Optional.of(new Fraction(Integer.toUnsignedLong(proto.getNumerator()), denominator));
  }
}
