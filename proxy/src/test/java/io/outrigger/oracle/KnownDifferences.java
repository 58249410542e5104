package io.outrigger.oracle;

import com.github.xds.type.v3.TypedStruct;
import com.google.protobuf.Any;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.protobuf.Struct;
import com.google.protobuf.Value;
import io.envoyproxy.envoy.config.cluster.v3.Cluster;
import io.envoyproxy.envoy.config.route.v3.RouteConfiguration;
import io.envoyproxy.envoy.extensions.transport_sockets.tls.v3.CertificateValidationContext;
import io.envoyproxy.envoy.extensions.transport_sockets.tls.v3.CommonTlsContext;
import io.envoyproxy.envoy.extensions.transport_sockets.tls.v3.SubjectAltNameMatcher;
import io.envoyproxy.envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext;
import io.envoyproxy.envoy.type.matcher.v3.StringMatcher;
import java.util.ArrayList;
import java.util.List;

/**
 * What the two clients are known to judge in different ways, each with its row in {@code
 * docs/extend/proofs.md}: a resource without that is judged alike.
 */
@SuppressWarnings("deprecation") // istiod writes the older fields
final class KnownDifferences {
  static final Class<UpstreamTlsContext> TLS = UpstreamTlsContext.class;

  /** The plugin of RLS, which gRPC has and we do not. */
  private static final String RLS = "grpc.lookup.v1.RouteLookup";

  private static final double LARGEST_SUBSET = 4_294_967_295.0;

  private KnownDifferences() {}

  static boolean isTls(Cluster cluster) {
    return cluster.getTransportSocket().getTypedConfig().is(TLS);
  }

  /** The resource without all that. */
  static Message without(Message resource) {
    try {
      if (resource instanceof RouteConfiguration routes) {
        return routes(routes);
      }
      Cluster cluster = (Cluster) resource;
      return isTls(cluster) ? tls(cluster) : subset(cluster);
    } catch (InvalidProtocolBufferException e) {
      throw new AssertionError(resource.toString(), e);
    }
  }

  private static Cluster tls(Cluster cluster) throws InvalidProtocolBufferException {
    var tls = cluster.getTransportSocket().getTypedConfig().unpack(TLS).toBuilder();
    if (tls.getSni().length() > 255) {
      tls.clearSni(); // A101: refused by us
    }
    if (tls.hasCommonTlsContext()) {
      common(tls.getCommonTlsContextBuilder());
    }
    var changed = cluster.toBuilder();
    changed.getTransportSocketBuilder().setTypedConfig(Any.pack(tls.build()));
    return changed.build();
  }

  private static void common(CommonTlsContext.Builder common) {
    if (common.getTlsCertificateProviderInstance().getInstanceName().equals("strange")) {
      common.getTlsCertificateProviderInstanceBuilder().setInstanceName("mesh");
    }
    if (common.getTlsCertificateCertificateProviderInstance().getInstanceName().equals("strange")) {
      common.getTlsCertificateCertificateProviderInstanceBuilder().setInstanceName("mesh");
    }
    common.clearTlsCertificateCertificateProvider();
    common.clearValidationContextCertificateProviderInstance();
    if (common.hasValidationContext()) {
      validation(common.getValidationContextBuilder(), false);
    }
    if (common.hasCombinedValidationContext()) {
      var combined = common.getCombinedValidationContextBuilder();
      boolean hasRoots = combined.hasValidationContextCertificateProviderInstance();
      var old = combined.getValidationContextCertificateProviderInstance();
      if (old.getInstanceName().equals("strange")) {
        combined.getValidationContextCertificateProviderInstanceBuilder().setInstanceName("mesh");
      }
      if (combined.hasDefaultValidationContext()) {
        validation(combined.getDefaultValidationContextBuilder(), hasRoots);
      }
    }
  }

  private static void validation(CertificateValidationContext.Builder validation, boolean roots) {
    var instance = validation.getCaCertificateProviderInstance();
    if (instance.getInstanceName().equals("strange")) {
      validation.getCaCertificateProviderInstanceBuilder().setInstanceName("mesh");
    }
    if (!validation.hasCaCertificateProviderInstance() && !roots) {
      validation // gRPC reads none of these beside the system's roots
          .clearVerifyCertificateSpki()
          .clearVerifyCertificateHash()
          .clearRequireSignedCertificateTimestamp()
          .clearCrl()
          .clearCustomValidatorConfig();
    }
    List<StringMatcher> matchers = new ArrayList<>(validation.getMatchSubjectAltNamesList());
    matchers.removeIf(KnownDifferences::isMalformed);
    validation.clearMatchSubjectAltNames().addAllMatchSubjectAltNames(matchers);
    List<SubjectAltNameMatcher> typed =
        new ArrayList<>(validation.getMatchTypedSubjectAltNamesList());
    typed.removeIf(name -> isMalformed(name.getMatcher()) || name.getSanTypeValue() == 0);
    typed.removeIf(name -> name.getSanType() == SubjectAltNameMatcher.SanType.OTHER_NAME);
    validation.clearMatchTypedSubjectAltNames().addAllMatchTypedSubjectAltNames(typed);
  }

  private static boolean isMalformed(StringMatcher matcher) {
    return switch (matcher.getMatchPatternCase()) {
      case EXACT -> false;
      case PREFIX -> matcher.getPrefix().isEmpty();
      case SUFFIX -> matcher.getSuffix().isEmpty();
      case CONTAINS -> matcher.getContains().isEmpty();
      case SAFE_REGEX -> matcher.getSafeRegex().getRegex().equals("(");
      default -> true;
    };
  }

  private static RouteConfiguration routes(RouteConfiguration routes) {
    var changed = routes.toBuilder();
    for (var plugin : changed.getClusterSpecifierPluginsBuilderList()) {
      var config = plugin.getExtensionBuilder().getTypedConfigBuilder();
      if (config.getTypeUrl().contains(RLS)) {
        config.setTypeUrl("type.googleapis.com/pkg.Plugin");
      }
    }
    return changed.build();
  }

  private static Cluster subset(Cluster cluster) throws InvalidProtocolBufferException {
    var changed = cluster.toBuilder();
    for (var policy : changed.getLoadBalancingPolicyBuilder().getPoliciesBuilderList()) {
      var config = policy.getTypedExtensionConfigBuilder();
      if (config.getTypedConfig().is(TypedStruct.class)) {
        var named = config.getTypedConfig().unpack(TypedStruct.class).toBuilder();
        named.setValue(cut(Value.newBuilder().setStructValue(named.getValue())).getStructValue());
        config.setTypedConfig(Any.pack(named.build()));
      }
    }
    return changed.build();
  }

  /** With sizes that fit an int, at any depth. */
  private static Value cut(Value.Builder value) {
    if (value.hasStructValue()) {
      Struct.Builder struct = value.getStructValueBuilder();
      List.copyOf(struct.getFieldsMap().entrySet())
          .forEach(entry -> struct.putFields(entry.getKey(), cut(entry.getValue().toBuilder())));
    } else if (value.hasListValue()) {
      value.getListValueBuilder().getValuesBuilderList().forEach(KnownDifferences::cut);
    } else if (value.getNumberValue() > LARGEST_SUBSET) {
      value.setNumberValue(LARGEST_SUBSET);
    }
    return value.build();
  }
}
