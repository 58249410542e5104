package io.outrigger.xds.decode;

import static io.outrigger.xds.decode.FieldErrors.quoted;

import com.google.protobuf.Any;
import io.outrigger.config.listener.HttpFilter;
import io.outrigger.config.route.FilterConfig;
import io.outrigger.xds.decode.FilterDecoder.Decoding;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Decodes the HTTP filter chain of a listener and the overrides of virtual hosts, routes and
 * weighted clusters (A39).
 */
final class HttpFilterDecoder {
  static final String FILTER_CONFIG = "envoy.config.route.v3.FilterConfig";

  private HttpFilterDecoder() {}

  /**
   * Decodes the filter chain; unknown filters that are marked as optional are left out (A39
   * "Top-Level Filter Configs").
   */
  static List<HttpFilter> chain(
      List<io.envoyproxy.envoy.extensions.filters.network.http_connection_manager.v3.HttpFilter>
          protos,
      FilterDecoders known,
      FieldErrors errors) {
    if (protos.isEmpty()) {
      errors
          .at("http_filters")
          .add("is empty; at least the router filter (" + FilterDecoders.ROUTER + ") is needed");
      return List.of();
    }
    var names = new HashSet<String>();
    var filters = new ArrayList<HttpFilter>();
    boolean understood = true;
    boolean terminated = false;
    for (int i = 0; i < protos.size(); i++) {
      var proto = protos.get(i);
      FieldErrors here = errors.at("http_filters", i);
      if (proto.getName().isEmpty()) {
        here.at("name").add("is empty");
      } else if (!names.add(proto.getName())) {
        here.at("name").add("duplicate " + quoted(proto.getName()));
      }
      if (proto.getIsOptional()
          && (!proto.hasTypedConfig() || !isKnown(proto.getTypedConfig(), known))) {
        continue;
      }
      if (terminated) {
        here.add("follows the router filter, which must be the last");
      }
      String subject = "filter " + quoted(proto.getName());
      Optional<? extends FilterConfig> config =
          proto.hasTypedConfig()
              ? decode(proto.getTypedConfig(), false, subject, known, here.at("typed_config"))
              : here.refuse(subject + " has no typed_config; no other form is supported");
      config.ifPresent(settings -> filters.add(new HttpFilter(proto.getName(), settings)));
      understood &= config.isPresent();
      terminated |= config.isPresent() && config.get() instanceof FilterConfig.Router;
    }
    if (understood && !terminated) {
      errors
          .at("http_filters")
          .add("the last filter must be the router filter (" + FilterDecoders.ROUTER + ")");
    }
    return filters;
  }

  /**
   * Decodes a filter or an override with the decoder of its type.
   *
   * @param subject the description of the filter or override in messages
   */
  private static Optional<? extends FilterConfig> decode(
      Any any, boolean isOverride, String subject, FilterDecoders known, FieldErrors errors) {
    Optional<TypedConfig> typed = TypedConfig.of(any, errors);
    if (typed.isEmpty()) {
      return Optional.empty();
    }
    Optional<Decoding> decoder = known.find(typed.get().typeName(), isOverride);
    return decoder.isPresent()
        ? decoder.get().decode(typed.get(), errors)
        : errors.refuse(
            subject
                + " of type "
                + typed.get().quotedType()
                + notSupported(typed.get().typeName(), isOverride, known));
  }

  /**
   * Whether a supported filter has settings or overrides of this type. Returns true for an
   * unreadable TypedStruct, so that {@link #decode} reports it.
   */
  private static boolean isKnown(Any config, FilterDecoders known) {
    return TypedConfig.of(config, FieldErrors.ofResource())
        .map(typed -> known.know(typed.typeName()))
        .orElse(true);
  }

  private static String notSupported(String type, boolean isOverride, FilterDecoders known) {
    if (known.know(type)) {
      return isOverride
          ? " configures the filter in a listener; an override needs another type"
          : " is an override; it belongs in typed_per_filter_config of a route";
    }
    return (known.equals(FilterDecoders.SERVER)
            ? " is not supported on a server"
            : " is not supported")
        + "; supported: "
        + known.names()
        + "; mark it is_optional to have it ignored";
  }

  /**
   * Decodes the field {@code typed_per_filter_config} of a message (A39 "Filter Config Overrides").
   * An unknown override that is marked as optional is left out.
   */
  static Map<String, FilterConfig> overrides(Map<String, Any> protos, FieldErrors errors) {
    if (protos.isEmpty()) {
      return Map.of();
    }
    var overrides = new LinkedHashMap<String, FilterConfig>();
    protos.forEach(
        (name, any) ->
            override(any, errors.at("typed_per_filter_config", name))
                .ifPresent(config -> overrides.put(name, config)));
    return overrides;
  }

  private static Optional<? extends FilterConfig> override(Any any, FieldErrors errors) {
    Any config = any;
    boolean optional = false;
    FieldErrors here = errors;
    if (TypedConfig.typeName(any.getTypeUrl()).equals(FILTER_CONFIG)) {
      var wrapper =
          TypedConfig.read(
              any, io.envoyproxy.envoy.config.route.v3.FilterConfig.getDefaultInstance(), errors);
      if (wrapper.isEmpty()) {
        return Optional.empty();
      }
      config = wrapper.get().getConfig();
      optional = wrapper.get().getIsOptional();
      if (wrapper.get().getDisabled() && !wrapper.get().hasConfig() && !optional) {
        return Optional.of(new FilterConfig.Disabled()); // decision config-0002
      }
      here = errors.at("config");
    }
    if (optional && !isKnown(config, FilterDecoders.ALL)) {
      return Optional.empty();
    }
    return decode(config, true, "override", FilterDecoders.ALL, here);
  }
}
