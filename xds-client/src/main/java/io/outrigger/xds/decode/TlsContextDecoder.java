package io.outrigger.xds.decode;

import static io.outrigger.xds.decode.FieldErrors.quoted;

import com.google.protobuf.Any;
import io.envoyproxy.envoy.extensions.transport_sockets.tls.v3.CertificateValidationContext;
import io.envoyproxy.envoy.extensions.transport_sockets.tls.v3.CommonTlsContext;
import io.envoyproxy.envoy.extensions.transport_sockets.tls.v3.CommonTlsContext.CombinedCertificateValidationContext;
import io.envoyproxy.envoy.extensions.transport_sockets.tls.v3.CommonTlsContext.ValidationContextTypeCase;
import io.envoyproxy.envoy.extensions.transport_sockets.tls.v3.DownstreamTlsContext;
import io.envoyproxy.envoy.extensions.transport_sockets.tls.v3.DownstreamTlsContext.OcspStaplePolicy;
import io.envoyproxy.envoy.extensions.transport_sockets.tls.v3.SubjectAltNameMatcher;
import io.envoyproxy.envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext;
import io.outrigger.config.bootstrap.Bootstrap.CertificateProvider;
import io.outrigger.config.tls.DownstreamTls;
import io.outrigger.config.tls.SanMatcher;
import io.outrigger.config.tls.SubjectAltName;
import io.outrigger.config.tls.TrustSource;
import io.outrigger.config.tls.UpstreamTls;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Decodes {@code UpstreamTlsContext} and {@code DownstreamTlsContext} (A29 "CDS for Client Side
 * Security", "LDS for Server Side Security" and "CommonTlsContext Processing", A82, A101). An
 * unsupported field is an error if ignoring it would weaken the connection. Other unsupported
 * fields are ignored according to the lists in A29.
 */
@SuppressWarnings("deprecation") // istiod still uses the older fields
final class TlsContextDecoder {
  private static final String IDENTITY = "tls_certificate_provider_instance";
  private static final String OLD_IDENTITY = "tls_certificate_certificate_provider_instance";
  private static final String ROOTS = "ca_certificate_provider_instance";
  private static final String OLD_ROOTS = "validation_context_certificate_provider_instance";

  private final Map<String, CertificateProvider> providers;

  private TlsContextDecoder(DecodeContext context) {
    providers = context.certificateProviders();
  }

  static Optional<UpstreamTls> upstream(Any any, DecodeContext context, FieldErrors errors) {
    return TypedConfig.read(any, UpstreamTlsContext.getDefaultInstance(), errors)
        .flatMap(proto -> new TlsContextDecoder(context).upstream(proto, errors));
  }

  static Optional<DownstreamTls> downstream(Any any, DecodeContext context, FieldErrors errors) {
    return TypedConfig.read(any, DownstreamTlsContext.getDefaultInstance(), errors)
        .flatMap(proto -> new TlsContextDecoder(context).downstream(proto, errors));
  }

  private Optional<UpstreamTls> upstream(UpstreamTlsContext proto, FieldErrors errors) {
    if (proto.getSni().getBytes(StandardCharsets.UTF_8).length > UpstreamTls.MAX_SNI_BYTES) {
      errors.at("sni").add("is longer than " + UpstreamTls.MAX_SNI_BYTES + " bytes"); // A101
    }
    FieldErrors here = errors.at("common_tls_context");
    CommonTlsContext common = proto.getCommonTlsContext();
    Optional<String> identity = identity(common, here);
    Validation validation = Validation.of(common, here);
    refuseUnsupported(common, validation, here);
    List<SanMatcher> matchers = sanMatchers(validation.proto(), validation.errors());
    Optional<TrustSource> roots = roots(common, validation, here);
    return roots.map(
        source ->
            new UpstreamTls(
                identity,
                source,
                matchers,
                proto.getSni(),
                proto.getAutoHostSni(),
                proto.getAutoSniSanValidation()));
  }

  private Optional<DownstreamTls> downstream(DownstreamTlsContext proto, FieldErrors errors) {
    int before = errors.count();
    FieldErrors here = errors.at("common_tls_context");
    CommonTlsContext common = proto.getCommonTlsContext();
    Optional<String> identity = identity(common, here);
    if (identity.isEmpty() && errors.count() == before) {
      here.at(IDENTITY).add("is missing; a server needs a certificate");
    }
    Validation validation = Validation.of(common, here);
    refuseUnsupported(common, validation, here);
    refuse(proto.getRequireSni().getValue(), errors.at("require_sni"));
    if (proto.getOcspStaplePolicy() != OcspStaplePolicy.LENIENT_STAPLING) {
      errors.at("ocsp_staple_policy").add("must be LENIENT_STAPLING; no other is supported");
    }
    List<SanMatcher> matchers = sanMatchers(validation.proto(), validation.errors());
    boolean required = proto.getRequireClientCertificate().getValue();
    Optional<String> roots = Optional.empty();
    if (common.getValidationContextTypeCase()
        != ValidationContextTypeCase.VALIDATIONCONTEXTTYPE_NOT_SET) {
      Optional<TrustSource> source = roots(common, validation, here);
      if (source.isPresent() && source.get() instanceof TrustSource.Provider provider) {
        roots = Optional.of(provider.instance());
      } else if (source.isPresent()) { // A82: the system's roots are for public servers
        validation.errors().at("system_root_certs").add("is for clients; use " + ROOTS);
      }
    } else if (required) {
      errors
          .at("require_client_certificate")
          .add("needs a validation_context with " + ROOTS + ", by which certificates are verified");
    }
    Optional<String> clientRoots = roots;
    return errors.count() > before
        ? Optional.empty()
        : identity.map(own -> new DownstreamTls(own, clientRoots, required, matchers));
  }

  /** A validation context, and the errors of the field from which it was read. */
  private record Validation(CertificateValidationContext proto, FieldErrors errors) {
    static Validation of(CommonTlsContext common, FieldErrors errors) {
      return common.hasCombinedValidationContext()
          ? new Validation(
              common.getCombinedValidationContext().getDefaultValidationContext(),
              errors.at("combined_validation_context").at("default_validation_context"))
          : new Validation(common.getValidationContext(), errors.at("validation_context"));
    }
  }

  private Optional<String> identity(CommonTlsContext common, FieldErrors errors) {
    if (common.hasTlsCertificateProviderInstance()) {
      String instance = common.getTlsCertificateProviderInstance().getInstanceName();
      return known(instance, errors.at(IDENTITY));
    }
    if (common.hasTlsCertificateCertificateProviderInstance()) {
      String instance = common.getTlsCertificateCertificateProviderInstance().getInstanceName();
      return known(instance, errors.at(OLD_IDENTITY));
    }
    String instead = "is not supported; use " + IDENTITY;
    if (common.getTlsCertificatesCount() > 0) {
      errors.at("tls_certificates").add(instead);
    }
    if (common.getTlsCertificateSdsSecretConfigsCount() > 0) {
      errors.at("tls_certificate_sds_secret_configs").add(instead);
    }
    if (common.hasTlsCertificateCertificateProvider()) {
      errors.at("tls_certificate_certificate_provider").add(instead);
    }
    return Optional.empty();
  }

  /** Decodes the trusted roots: the newer field, else the older fields, else the system roots. */
  private Optional<TrustSource> roots(
      CommonTlsContext common, Validation validation, FieldErrors errors) {
    CertificateValidationContext proto = validation.proto();
    if (proto.hasCaCertificateProviderInstance()) {
      return known(
              proto.getCaCertificateProviderInstance().getInstanceName(),
              validation.errors().at(ROOTS))
          .map(TrustSource.Provider::new);
    }
    CombinedCertificateValidationContext combined = common.getCombinedValidationContext();
    if (combined.hasValidationContextCertificateProviderInstance()) {
      return known(
              combined.getValidationContextCertificateProviderInstance().getInstanceName(),
              errors.at("combined_validation_context").at(OLD_ROOTS))
          .map(TrustSource.Provider::new);
    }
    if (common.hasValidationContextCertificateProviderInstance()) {
      return known(
              common.getValidationContextCertificateProviderInstance().getInstanceName(),
              errors.at(OLD_ROOTS))
          .map(TrustSource.Provider::new);
    }
    if (proto.hasSystemRootCerts()) {
      return Optional.of(new TrustSource.SystemRoots());
    }
    return errors.refuse(
        "names no roots; give validation_context with " + ROOTS + " or system_root_certs");
  }

  private Optional<String> known(String instance, FieldErrors errors) {
    CertificateProvider provider = providers.get(instance);
    FieldErrors here = errors.at("instance_name");
    if (provider == null) {
      return here.refuse(
          quoted(instance) + " is not among the certificate_providers of the bootstrap");
    }
    if (provider instanceof CertificateProvider.Unknown unknown) {
      return here.refuse(
          "plugin %s of certificate provider %s is not supported"
              .formatted(quoted(unknown.plugin()), quoted(instance)));
    }
    return Optional.of(instance);
  }

  private static void refuseUnsupported(
      CommonTlsContext common, Validation validation, FieldErrors here) {
    refuse(common.hasTlsParams(), here.at("tls_params"));
    refuse(common.hasCustomHandshaker(), here.at("custom_handshaker"));
    CertificateValidationContext proto = validation.proto();
    FieldErrors errors = validation.errors();
    refuse(proto.getVerifyCertificateSpkiCount() > 0, errors.at("verify_certificate_spki"));
    refuse(proto.getVerifyCertificateHashCount() > 0, errors.at("verify_certificate_hash"));
    refuse(
        proto.hasRequireSignedCertificateTimestamp(),
        errors.at("require_signed_certificate_timestamp"));
    refuse(proto.hasCrl(), errors.at("crl"));
    refuse(proto.hasCustomValidatorConfig(), errors.at("custom_validator_config"));
  }

  private static void refuse(boolean present, FieldErrors errors) {
    if (present) {
      errors.add("is not supported, and ignoring it would weaken the connection");
    }
  }

  /** Decodes the typed matchers for certificate names; if there are none, the deprecated field. */
  private static List<SanMatcher> sanMatchers(
      CertificateValidationContext proto, FieldErrors errors) {
    return proto.getMatchTypedSubjectAltNamesCount() > 0
        ? errors.each(
            "match_typed_subject_alt_names",
            proto.getMatchTypedSubjectAltNamesList(),
            TlsContextDecoder::typed)
        : errors.each(
            "match_subject_alt_names",
            proto.getMatchSubjectAltNamesList(),
            (each, here) -> MatcherDecoder.text(each, here).map(SanMatcher::ofAnyKind));
  }

  private static Optional<SanMatcher> typed(SubjectAltNameMatcher proto, FieldErrors errors) {
    var text = MatcherDecoder.text(proto.getMatcher(), errors.at("matcher"));
    Optional<SubjectAltName.Kind> kind =
        switch (proto.getSanType()) {
          case EMAIL -> Optional.of(SubjectAltName.Kind.EMAIL);
          case DNS -> Optional.of(SubjectAltName.Kind.DNS);
          case URI -> Optional.of(SubjectAltName.Kind.URI);
          case IP_ADDRESS -> Optional.of(SubjectAltName.Kind.IP);
          case OTHER_NAME, SAN_TYPE_UNSPECIFIED, UNRECOGNIZED -> Optional.empty();
        };
    if (kind.isEmpty()) {
      errors.at("san_type").add("must be EMAIL, DNS, URI or IP_ADDRESS");
    }
    return kind.flatMap(each -> text.map(matcher -> new SanMatcher(kind, matcher)));
  }
}
