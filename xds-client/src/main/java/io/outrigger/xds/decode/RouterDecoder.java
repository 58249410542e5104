package io.outrigger.xds.decode;

import io.envoyproxy.envoy.extensions.filters.http.router.v3.Router;
import io.outrigger.config.route.FilterConfig;
import java.util.Optional;

/**
 * Decodes the router filter, the last filter of every chain. The fields of the router filter are
 * ignored (A39 "The Router Filter").
 */
final class RouterDecoder extends FilterDecoder {
  static final String TYPE = "envoy.extensions.filters.http.router.v3.Router";

  RouterDecoder() {
    super(TYPE, FilterConfig.Router.class);
  }

  @Override
  Optional<FilterConfig.Router> decode(TypedConfig config, FieldErrors errors) {
    return config
        .read(Router.getDefaultInstance(), errors)
        .map(router -> new FilterConfig.Router());
  }

  @Override
  Optional<FilterConfig.Router> decodeOverride(TypedConfig config, FieldErrors errors) {
    return errors.refuse("the router filter takes no override");
  }
}
