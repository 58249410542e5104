package io.outrigger.xds.decode;

import static io.outrigger.xds.decode.FieldErrors.quoted;

import com.google.protobuf.Any;
import io.envoyproxy.envoy.config.cluster.v3.Cluster;
import io.envoyproxy.envoy.config.core.v3.ConfigSource;
import io.envoyproxy.envoy.config.core.v3.SocketAddress;
import io.envoyproxy.envoy.config.endpoint.v3.ClusterLoadAssignment;
import io.envoyproxy.envoy.extensions.clusters.aggregate.v3.ClusterConfig;
import io.envoyproxy.envoy.extensions.clusters.dns.v3.DnsCluster;
import io.outrigger.config.cluster.ClusterSource;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Decodes how a cluster finds its endpoints: by EDS, by DNS, or through other clusters (A27, A37
 * "Validation"). A {@code DnsCluster} is logical or strict DNS, depending on {@code
 * all_addresses_in_single_endpoint} (decision lb-0032). The type STRICT_DNS is supported only for
 * the clusters that Outrigger generates for {@code dns:///} targets (decision proxy-0041).
 */
final class ClusterSourceDecoder {
  static final String AGGREGATE = "envoy.extensions.clusters.aggregate.v3.ClusterConfig";
  static final String DNS = "envoy.extensions.clusters.dns.v3.DnsCluster";

  private static final String SUPPORTED =
      "; supported: type EDS, type LOGICAL_DNS, and a cluster_type of " + AGGREGATE + " or " + DNS;

  private ClusterSourceDecoder() {}

  static Optional<ClusterSource> decode(Cluster proto, DecodeContext context, FieldErrors errors) {
    if (proto.hasClusterType()) {
      return custom(proto, errors);
    }
    // If a cluster has no type, protobuf returns STATIC, the first value of the enum.
    return switch (proto.getType()) {
      case EDS -> eds(proto, errors.at("eds_cluster_config"));
      case LOGICAL_DNS -> dns(proto, true, errors.at("load_assignment"));
      case STRICT_DNS ->
          context.isOurs()
              ? dns(proto, false, errors.at("load_assignment"))
              : unsupported(proto, errors.at("type"));
      case STATIC, ORIGINAL_DST, UNRECOGNIZED -> unsupported(proto, errors.at("type"));
    };
  }

  /** Whether a cluster has endpoints; an aggregate has none, so {@code lrs_server} is ignored. */
  static boolean hasEndpoints(Cluster proto) {
    return !proto.hasClusterType() || customType(proto).equals(DNS);
  }

  private static String customType(Cluster proto) {
    return TypedConfig.typeName(proto.getClusterType().getTypedConfig().getTypeUrl());
  }

  private static Optional<ClusterSource> custom(Cluster proto, FieldErrors errors) {
    Any config = proto.getClusterType().getTypedConfig();
    FieldErrors here = errors.at("cluster_type").at("typed_config");
    return switch (customType(proto)) {
      case AGGREGATE ->
          TypedConfig.read(config, ClusterConfig.getDefaultInstance(), here)
              .map(aggregate -> aggregate(aggregate, here));
      case DNS ->
          TypedConfig.read(config, DnsCluster.getDefaultInstance(), here)
              .flatMap(
                  dns ->
                      dns(
                          proto,
                          dns.getAllAddressesInSingleEndpoint(),
                          errors.at("load_assignment")));
      default -> here.refuse("holds " + quoted(customType(proto)) + SUPPORTED);
    };
  }

  private static Optional<ClusterSource> unsupported(Cluster proto, FieldErrors errors) {
    return errors.refuse(
        (proto.hasType() ? proto.getType() + " is not supported" : "is missing") + SUPPORTED);
  }

  private static Optional<ClusterSource> eds(Cluster proto, FieldErrors errors) {
    var config = proto.getEdsClusterConfig();
    requireAdsOrSelf(config.hasEdsConfig(), config.getEdsConfig(), errors.at("eds_config"));
    if (!config.getServiceName().isEmpty()) {
      return Optional.of(new ClusterSource.Eds(config.getServiceName()));
    }
    if (proto.getName().startsWith("xdstp:")) {
      // The name of an xdstp cluster contains the type Cluster (A47 "CDS Resource Validation").
      return errors
          .at("service_name")
          .refuse("is empty, but the cluster's name cannot name endpoints");
    }
    return Optional.of(new ClusterSource.Eds(proto.getName(), ""));
  }

  private static Optional<ClusterSource> dns(
      Cluster proto, boolean isOneEndpoint, FieldErrors errors) {
    if (!proto.hasLoadAssignment()) {
      return errors.refuse("is missing");
    }
    ClusterLoadAssignment assignment = proto.getLoadAssignment();
    if (assignment.getEndpointsCount() != 1) {
      return errors
          .at("endpoints")
          .refuse("has " + assignment.getEndpointsCount() + " entries; must be 1");
    }
    var locality = assignment.getEndpoints(0);
    FieldErrors inside = errors.at("endpoints", 0);
    if (locality.getLbEndpointsCount() != 1) {
      return inside
          .at("lb_endpoints")
          .refuse("has " + locality.getLbEndpointsCount() + " entries; must be 1");
    }
    var endpoint = locality.getLbEndpoints(0).getEndpoint();
    FieldErrors here = inside.at("lb_endpoints", 0).at("endpoint").at("address");
    if (!AddressDecoder.requireSocketAddress(endpoint.getAddress(), here)) {
      return Optional.empty();
    }
    return dnsName(
        endpoint.getAddress().getSocketAddress(), isOneEndpoint, here.at("socket_address"));
  }

  private static Optional<ClusterSource> dnsName(
      SocketAddress proto, boolean isOneEndpoint, FieldErrors errors) {
    if (!proto.getResolverName().isEmpty()) {
      errors.at("resolver_name").add("is not supported; must be empty");
    }
    if (proto.getAddress().isEmpty()) {
      errors.at("address").add("is empty");
    }
    OptionalInt port = AddressDecoder.port(proto, errors);
    return port.isPresent()
        ? Optional.of(new ClusterSource.Dns(proto.getAddress(), port.getAsInt(), isOneEndpoint))
        : Optional.empty();
  }

  private static ClusterSource aggregate(ClusterConfig config, FieldErrors errors) {
    if (config.getClustersCount() == 0) {
      errors.at("clusters").add("is empty");
    }
    for (int i = 0; i < config.getClustersCount(); i++) {
      if (config.getClusters(i).isEmpty()) {
        errors.at("clusters", i).ignore("is empty; no cluster has such a name");
      }
    }
    return new ClusterSource.Aggregate(config.getClustersList());
  }

  /**
   * Adds an error if a config source is neither {@code ads} nor {@code self}: a resource may refer
   * only to resources of the server that sent it (A27, A30).
   */
  static void requireAdsOrSelf(boolean present, ConfigSource source, FieldErrors errors) {
    if (!present) {
      errors.add("is missing; must be ads or self");
    } else if (!source.hasAds() && !source.hasSelf()) {
      errors.add(described(source) + "; must be ads or self");
    }
  }

  static String described(ConfigSource source) {
    var which = source.getConfigSourceSpecifierCase();
    return which == ConfigSource.ConfigSourceSpecifierCase.CONFIGSOURCESPECIFIER_NOT_SET
        ? "names no source"
        : FieldErrors.fieldOf(which) + " is not supported";
  }
}
