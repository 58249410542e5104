package io.outrigger.xds.decode;

import static java.util.stream.Collectors.joining;

import io.envoyproxy.envoy.extensions.filters.http.router.v3.Router;
import io.outrigger.config.route.FilterConfig;
import io.outrigger.xds.decode.FilterDecoder.Decoding;
import java.util.List;
import java.util.Optional;

/** The HTTP filters that are supported, by the types of their messages. */
record FilterDecoders(List<FilterDecoder> decoders) {
  static final String ROUTER = "envoy.extensions.filters.http.router.v3.Router";

  /** The last filter of every chain; its fields are ignored (A39 "The Router Filter"). */
  private static final FilterDecoder ROUTER_DECODER =
      new FilterDecoder(
          ROUTER,
          (config, errors) ->
              config
                  .read(Router.getDefaultInstance(), errors)
                  .map(router -> new FilterConfig.Router()),
          ROUTER,
          (config, errors) -> errors.refuse("the router filter takes no override"));

  /** The filters of clients, in the order in which error messages list them. */
  static final FilterDecoders CLIENT =
      new FilterDecoders(
          List.of(ROUTER_DECODER, FaultDecoder.DECODER, StatefulSessionDecoder.DECODER));

  /** The filters of servers (A39, A41). */
  static final FilterDecoders SERVER =
      new FilterDecoders(List.of(ROUTER_DECODER, RbacDecoder.DECODER));

  /** The filters of both clients and servers, which may use the same route configuration. */
  static final FilterDecoders ALL =
      new FilterDecoders(
          List.of(
              ROUTER_DECODER,
              FaultDecoder.DECODER,
              StatefulSessionDecoder.DECODER,
              RbacDecoder.DECODER));

  FilterDecoders {
    decoders = List.copyOf(decoders);
  }

  Optional<Decoding> find(String typeName, boolean isOverride) {
    return decoders.stream()
        .filter(each -> typeName.equals(isOverride ? each.overrideTypeName() : each.typeName()))
        .map(isOverride ? FilterDecoder::override : FilterDecoder::filter)
        .findFirst();
  }

  /** Whether a supported filter has settings or overrides of this type (A39). */
  boolean know(String typeName) {
    return find(typeName, false).or(() -> find(typeName, true)).isPresent();
  }

  String names() {
    return decoders.stream()
        .map(FilterDecoder::typeName)
        .map(name -> name.replaceFirst("\\.v\\d+\\.\\w+$", ""))
        .map(home -> home.substring(home.lastIndexOf('.') + 1))
        .collect(joining(", "));
  }
}
