package io.outrigger.xds.decode;

import io.envoyproxy.envoy.extensions.filters.common.fault.v3.FaultDelay;
import io.envoyproxy.envoy.extensions.filters.http.fault.v3.FaultAbort;
import io.envoyproxy.envoy.extensions.filters.http.fault.v3.HTTPFault;
import io.outrigger.base.RpcStatus;
import io.outrigger.config.route.FilterConfig;
import io.outrigger.config.route.Fraction;
import java.util.Optional;

/**
 * Decodes {@code HTTPFault}: the delay, the abort and the maximum number of active faults (A33).
 * Other fields of HTTPFault are ignored.
 */
final class FaultDecoder {
  static final String TYPE = "envoy.extensions.filters.http.fault.v3.HTTPFault";

  static final FilterDecoder DECODER =
      new FilterDecoder(TYPE, FaultDecoder::decode, TYPE, FaultDecoder::decode);

  private FaultDecoder() {}

  private static Optional<FilterConfig.Fault> decode(TypedConfig config, FieldErrors errors) {
    return config.read(HTTPFault.getDefaultInstance(), errors).map(proto -> decode(proto, errors));
  }

  private static FilterConfig.Fault decode(HTTPFault proto, FieldErrors errors) {
    Optional<FilterConfig.Delay> delay =
        proto.hasDelay() ? delay(proto.getDelay(), errors.at("delay")) : Optional.empty();
    Optional<FilterConfig.Abort> abort =
        proto.hasAbort() ? abort(proto.getAbort(), errors.at("abort")) : Optional.empty();
    Optional<Long> maxActive =
        proto.hasMaxActiveFaults()
            ? Optional.of(Integer.toUnsignedLong(proto.getMaxActiveFaults().getValue()))
            : Optional.empty();
    return new FilterConfig.Fault(delay, abort, maxActive);
  }

  private static Optional<FilterConfig.Delay> delay(FaultDelay proto, FieldErrors errors) {
    Optional<Fraction> share =
        MatcherDecoder.fraction(proto.getPercentage(), errors.at("percentage"));
    return switch (proto.getFaultDelaySecifierCase()) {
      case FIXED_DELAY ->
          ProtoDurations.orZero(proto.getFixedDelay(), errors.at("fixed_delay"))
              .flatMap(fixed -> share.map(of -> new FilterConfig.Delay(Optional.of(fixed), of)));
      case HEADER_DELAY -> share.map(of -> new FilterConfig.Delay(Optional.empty(), of));
      case FAULTDELAYSECIFIER_NOT_SET -> {
        errors.ignore("has neither fixed_delay nor header_delay; nothing is delayed");
        yield Optional.empty();
      }
    };
  }

  private static Optional<FilterConfig.Abort> abort(FaultAbort proto, FieldErrors errors) {
    Optional<Fraction> share =
        MatcherDecoder.fraction(proto.getPercentage(), errors.at("percentage"));
    return switch (proto.getErrorTypeCase()) {
      case GRPC_STATUS -> {
        int code = proto.getGrpcStatus();
        boolean isCode = Integer.compareUnsigned(code, FilterConfig.Abort.MAX_GRPC_STATUS) <= 0;
        if (!isCode) {
          errors
              .at("grpc_status")
              .ignore(Integer.toUnsignedString(code) + " is not a status code; calls get UNKNOWN");
        }
        int status = isCode ? code : RpcStatus.Code.UNKNOWN.number();
        yield share.map(of -> new FilterConfig.Abort(Optional.of(status), Optional.empty(), of));
      }
      case HTTP_STATUS -> {
        int code = proto.getHttpStatus();
        if (code < FilterConfig.Abort.MIN_HTTP_STATUS
            || code > FilterConfig.Abort.MAX_HTTP_STATUS) {
          errors
              .at("http_status")
              .ignore(
                  Integer.toUnsignedString(code)
                      + " is not between 200 and 599; nothing is aborted");
          yield Optional.empty();
        }
        yield share.map(of -> new FilterConfig.Abort(Optional.empty(), Optional.of(code), of));
      }
      case HEADER_ABORT ->
          share.map(of -> new FilterConfig.Abort(Optional.empty(), Optional.empty(), of));
      case ERRORTYPE_NOT_SET -> errors.refuse("none of grpc_status, http_status and header_abort");
    };
  }
}
