package io.outrigger.xds.decode;

import static io.outrigger.xds.ResourceType.CLUSTER;
import static io.outrigger.xds.ResourceType.LISTENER;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.re2j.Pattern;
import io.outrigger.config.bootstrap.Bootstrap.CertificateProvider;
import io.outrigger.config.bootstrap.CertificateFiles;
import io.outrigger.config.bootstrap.ServerFeatures;
import io.outrigger.config.listener.SocketListener;
import io.outrigger.config.route.StringMatcher;
import io.outrigger.config.tls.DownstreamTls;
import io.outrigger.config.tls.SanMatcher;
import io.outrigger.config.tls.SubjectAltName;
import io.outrigger.config.tls.TrustSource;
import io.outrigger.config.tls.UpstreamTls;
import io.outrigger.testing.Conformance;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Texts leave out the quotes of JSON. */
class TlsContextDecoderTest {
  private static final CertificateProvider FILES =
      new CertificateProvider.FileWatcher(
          new CertificateFiles(
              Optional.of("c"),
              Optional.of("k"),
              Optional.of("r"),
              Optional.empty(),
              Duration.ofMinutes(10)));

  private static final DecodeContext CONTEXT =
      new DecodeContext(
          ServerFeatures.NONE,
          Map.of(
              "default",
              FILES,
              "ROOTCA",
              FILES,
              "other",
              new CertificateProvider.Unknown("vault")));

  private static final String DEFAULT = "default";
  private static final String ROOTS = "ca_certificate_provider_instance: {instance_name: ROOTCA}";

  private static UpstreamTls tls(String fields) {
    return Decoding.valid(CLUSTER, cluster(fields), CONTEXT).transport().tls().orElseThrow();
  }

  private static List<String> errors(String fields) {
    return Decoding.errors(CLUSTER, cluster(fields), CONTEXT);
  }

  private static String cluster(String fields) {
    return "{name: pay, type: EDS, eds_cluster_config: {eds_config: {ads: {}}}, transport_socket:"
        + " {name: envoy.transport_sockets.tls, typed_config: {\"@type\":"
        + " \"type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext\", "
        + fields
        + "}}}";
  }

  private static String validation(String fields) {
    return "common_tls_context: {validation_context: {" + fields + "}}";
  }

  private static UpstreamTls expected(Optional<String> identity, TrustSource roots) {
    return new UpstreamTls(identity, roots, List.of(), "", false, false);
  }

  private static TrustSource provider(String instance) {
    return new TrustSource.Provider(instance);
  }

  @Test
  void withoutAnyOfItTheClusterIsPlainText() {
    assertThat(
            Decoding.valid(
                    CLUSTER,
                    "{name: pay, type: EDS, eds_cluster_config: {eds_config: {ads: {}}}}",
                    CONTEXT)
                .transport()
                .tls())
        .isEmpty();
  }

  @Test
  @Conformance("A29-10")
  void identityAndRootsComeFromInstancesOfTheBootstrap() {
    assertThat(
            tls(
                "common_tls_context: {tls_certificate_provider_instance: {instance_name: default,"
                    + " certificate_name: any}, validation_context: {"
                    + ROOTS
                    + "}}"))
        .isEqualTo(expected(Optional.of("default"), provider("ROOTCA")));
  }

  @ParameterizedTest(name = "{0}")
  @Conformance("A29-10")
  @ValueSource(
      strings = {
        // as istiod writes it
        "tls_certificate_provider_instance: {instance_name: default},"
            + " tls_certificate_certificate_provider_instance: {instance_name: old,"
            + " certificate_name: default}, combined_validation_context: {default_validation_context:"
            + " {ca_certificate_provider_instance: {instance_name: ROOTCA}},"
            + " validation_context_certificate_provider_instance: {instance_name: old}}",
        // the older fields alone
        "tls_certificate_certificate_provider_instance: {instance_name: default},"
            + " combined_validation_context: {default_validation_context: {},"
            + " validation_context_certificate_provider_instance: {instance_name: ROOTCA}}",
        "tls_certificate_certificate_provider_instance: {instance_name: default},"
            + " validation_context_certificate_provider_instance: {instance_name: ROOTCA}",
        "tls_certificate_provider_instance: {instance_name: default}, combined_validation_context:"
            + " {default_validation_context: {ca_certificate_provider_instance: {instance_name:"
            + " ROOTCA}, system_root_certs: {}}, validation_context_sds_secret_config: {}}",
        // what is ignored beside them (A29)
        "tls_certificate_provider_instance: {instance_name: default}, tls_certificates: [{}],"
            + " tls_certificate_sds_secret_configs: [{}], alpn_protocols: [h2, istio],"
            + " validation_context: {ca_certificate_provider_instance: {instance_name: ROOTCA},"
            + " trusted_ca: {filename: x}, watched_directory: {path: x}, allow_expired_certificate:"
            + " true, trust_chain_verification: ACCEPT_UNTRUSTED}",
      })
  void bothGenerationsOfFieldsAreRead(String common) {
    assertThat(
            tls(
                "allow_renegotiation: true, max_session_keys: 3, common_tls_context: {"
                    + common
                    + "}"))
        .isEqualTo(expected(Optional.of("default"), provider("ROOTCA")));
  }

  @Test
  @Conformance("A29-09")
  void rootsMayBeThoseOfTheSystem() {
    assertThat(tls(validation("system_root_certs: {}")))
        .isEqualTo(expected(Optional.empty(), new TrustSource.SystemRoots()));
    assertThat(tls(validation("system_root_certs: {}, " + ROOTS)).roots())
        .as("A82: a provider goes first")
        .isEqualTo(provider("ROOTCA"));
  }

  @Test
  @Conformance("A29-03")
  void untypedMatchersAreForNamesOfAnyKind() {
    assertThat(
            tls(validation(
                    ROOTS
                        + ", match_subject_alt_names: [{exact: \"spiffe://a/b\"}, {prefix: p,"
                        + " ignore_case: true}, {suffix: s}, {contains: c}, {safe_regex: {regex:"
                        + " \"r.*\"}}]"))
                .sanMatchers())
        .containsExactly(
            SanMatcher.ofAnyKind(new StringMatcher.Exact("spiffe://a/b", false)),
            SanMatcher.ofAnyKind(new StringMatcher.Prefix("p", true)),
            SanMatcher.ofAnyKind(new StringMatcher.Suffix("s", false)),
            SanMatcher.ofAnyKind(new StringMatcher.Contains("c", false)),
            SanMatcher.ofAnyKind(new StringMatcher.Regex(Pattern.compile("r.*"))));
  }

  @Test
  @Conformance({"A29-03", "A29-10"})
  void typedMatchersTakeThePlaceOfUntypedOnes() {
    assertThat(
            tls("common_tls_context: {combined_validation_context: {default_validation_context: {"
                    + ROOTS
                    + ", match_subject_alt_names: [{exact: old}], match_typed_subject_alt_names:"
                    + " [{san_type: URI, matcher: {exact: u}}, {san_type: DNS, matcher: {exact: d}},"
                    + " {san_type: EMAIL, matcher: {exact: e}}, {san_type: IP_ADDRESS, matcher:"
                    + " {exact: i}}]}}}")
                .sanMatchers())
        .containsExactly(
            typed(SubjectAltName.Kind.URI, "u"),
            typed(SubjectAltName.Kind.DNS, "d"),
            typed(SubjectAltName.Kind.EMAIL, "e"),
            typed(SubjectAltName.Kind.IP, "i"));
  }

  private static SanMatcher typed(SubjectAltName.Kind kind, String exact) {
    return new SanMatcher(Optional.of(kind), new StringMatcher.Exact(exact, false));
  }

  @Test
  @Conformance({"A101-01", "A29-08"})
  void theServerNameHasAtMost255Bytes() {
    String longest = "a".repeat(255);
    UpstreamTls tls =
        tls(
            "sni: "
                + longest
                + ", auto_host_sni: true, auto_sni_san_validation: true, "
                + validation(ROOTS));

    assertThat(tls.sni()).isEqualTo(longest);
    assertThat(tls.autoHostSni()).isTrue();
    assertThat(tls.autoSniSanValidation()).isTrue();
    assertThat(errors("sni: " + longest + "a, " + validation(ROOTS)))
        .containsExactly("transport_socket.typed_config.sni: is longer than 255 bytes");
    assertThat(errors("sni: " + "\u00e4".repeat(128) + ", " + validation(ROOTS))).hasSize(1);
  }

  @ParameterizedTest(name = "{0} -> {1}")
  @Conformance("A29-02")
  @CsvSource(
      delimiter = '|',
      value = {
        "{tls_params: {}, V} | tls_params: is not supported, and ignoring it would weaken the"
            + " connection",
        "{custom_handshaker: {name: x}, V} | custom_handshaker: is not supported, and ignoring it"
            + " would weaken the connection",
        "{tls_certificates: [{}], V} | tls_certificates: is not supported; use"
            + " tls_certificate_provider_instance",
        "{tls_certificate_sds_secret_configs: [{name: default}], V} |"
            + " tls_certificate_sds_secret_configs: is not supported; use"
            + " tls_certificate_provider_instance",
        "{tls_certificate_certificate_provider: {name: x}, V} |"
            + " tls_certificate_certificate_provider: is not supported; use"
            + " tls_certificate_provider_instance",
        "{tls_certificate_provider_instance: {instance_name: lost}, V} |"
            + " tls_certificate_provider_instance.instance_name: \"lost\" is not among the"
            + " certificate_providers of the bootstrap",
        "{tls_certificate_provider_instance: {}, V} |"
            + " tls_certificate_provider_instance.instance_name: \"\" is not among the"
            + " certificate_providers of the bootstrap",
        "{tls_certificate_provider_instance: {instance_name: other}, V} |"
            + " tls_certificate_provider_instance.instance_name: plugin \"vault\" of certificate"
            + " provider \"other\" is not supported",
        "{tls_certificate_certificate_provider_instance: {instance_name: lost}, V} |"
            + " tls_certificate_certificate_provider_instance.instance_name: \"lost\" is not among"
            + " the certificate_providers of the bootstrap",
        "{validation_context: {ca_certificate_provider_instance: {instance_name: lost}}} |"
            + " validation_context.ca_certificate_provider_instance.instance_name: \"lost\" is not"
            + " among the certificate_providers of the bootstrap",
        "{combined_validation_context: {default_validation_context:"
            + " {ca_certificate_provider_instance: {instance_name: lost}},"
            + " validation_context_certificate_provider_instance: {instance_name: ROOTCA}}} |"
            + " combined_validation_context.default_validation_context"
            + ".ca_certificate_provider_instance.instance_name: \"lost\" is not among the"
            + " certificate_providers of the bootstrap",
        "{combined_validation_context: {validation_context_certificate_provider_instance:"
            + " {instance_name: lost}}} | combined_validation_context"
            + ".validation_context_certificate_provider_instance.instance_name: \"lost\" is not"
            + " among the certificate_providers of the bootstrap",
        "{validation_context_certificate_provider_instance: {instance_name: lost}} |"
            + " validation_context_certificate_provider_instance.instance_name: \"lost\" is not"
            + " among the certificate_providers of the bootstrap",
      })
  void whatCannotBeHonouredIsRefused(String common, String error) {
    String fields = common.replace("V}", "validation_context: {" + ROOTS + "}}");

    assertThat(errors("common_tls_context: " + fields))
        .containsExactly("transport_socket.typed_config.common_tls_context." + error);
  }

  @ParameterizedTest(name = "{0}")
  @Conformance("A29-02")
  @ValueSource(
      strings = {
        "sni: x",
        "common_tls_context: {}",
        "common_tls_context: {validation_context: {}}",
        "common_tls_context: {validation_context: {trusted_ca: {filename: \"/r\"}}}",
        "common_tls_context: {validation_context_sds_secret_config: {name: ROOTCA}}",
        "common_tls_context: {validation_context_certificate_provider: {name: ROOTCA}}",
        "common_tls_context: {combined_validation_context: {}}",
        "common_tls_context: {combined_validation_context: {default_validation_context: {},"
            + " validation_context_sds_secret_config: {name: ROOTCA}}}",
      })
  void aClusterWithoutRootsIsRefused(String fields) {
    assertThat(errors(fields))
        .containsExactly(
            "transport_socket.typed_config.common_tls_context: names no roots; give"
                + " validation_context with ca_certificate_provider_instance or system_root_certs");
  }

  @ParameterizedTest(name = "{0} -> {1}")
  @Conformance("A29-02")
  @CsvSource(
      delimiter = '|',
      value = {
        "verify_certificate_spki: [x] | verify_certificate_spki",
        "verify_certificate_hash: [x] | verify_certificate_hash",
        "require_signed_certificate_timestamp: false | require_signed_certificate_timestamp",
        "require_signed_certificate_timestamp: true | require_signed_certificate_timestamp",
        "crl: {filename: x} | crl",
        "custom_validator_config: {name: x} | custom_validator_config",
      })
  void checksThatAreNotDoneAreRefused(String field, String name) {
    String problem = name + ": is not supported, and ignoring it would weaken the connection";

    assertThat(errors(validation(ROOTS + ", " + field)))
        .containsExactly(
            "transport_socket.typed_config.common_tls_context.validation_context." + problem);
    assertThat(
            errors(
                "common_tls_context: {combined_validation_context: {default_validation_context: {"
                    + ROOTS
                    + ", "
                    + field
                    + "}}}"))
        .containsExactly(
            "transport_socket.typed_config.common_tls_context.combined_validation_context"
                + ".default_validation_context."
                + problem);
  }

  @ParameterizedTest(name = "{0} -> {1}")
  @Conformance({"A29-02", "A29-03"})
  @CsvSource(
      delimiter = '|',
      value = {
        "match_subject_alt_names: [{exact: a}, {prefix: \"\"}] |"
            + " match_subject_alt_names[1].prefix: is empty",
        "match_subject_alt_names: [{}] | match_subject_alt_names[0]: no match pattern, or an"
            + " unknown one",
        "match_typed_subject_alt_names: [{matcher: {exact: a}}] |"
            + " match_typed_subject_alt_names[0].san_type: must be EMAIL, DNS, URI or IP_ADDRESS",
        "match_typed_subject_alt_names: [{san_type: OTHER_NAME, matcher: {exact: a}}] |"
            + " match_typed_subject_alt_names[0].san_type: must be EMAIL, DNS, URI or IP_ADDRESS",
        "match_typed_subject_alt_names: [{san_type: DNS, matcher: {}}] |"
            + " match_typed_subject_alt_names[0].matcher: no match pattern, or an unknown one",
        "match_typed_subject_alt_names: [{san_type: DNS, matcher: {suffix: \"\"}}] |"
            + " match_typed_subject_alt_names[0].matcher.suffix: is empty",
      })
  void aMatcherThatMatchesNothingOrEverythingIsRefused(String field, String error) {
    assertThat(errors(validation(ROOTS + ", " + field)))
        .containsExactly(
            "transport_socket.typed_config.common_tls_context.validation_context." + error);
  }

  @Test
  @Conformance("A29-02")
  void everyErrorIsNamed() {
    assertThat(
            errors(
                "sni: "
                    + "x".repeat(300)
                    + ", common_tls_context: {tls_params: {}, tls_certificate_provider_instance:"
                    + " {instance_name: lost}, validation_context: {crl: {filename: x},"
                    + " match_subject_alt_names: [{}]}}"))
        .hasSize(6);
  }

  @Test
  @Conformance({"A29S-01", "A29S-03", "A29S-08"})
  void serverWithoutValidationContextAsksForNoCertificate() {
    assertThat(
            downstream(
                "common_tls_context: {tls_certificate_provider_instance: {instance_name: default},"
                    + " alpn_protocols: [istio]}, session_timeout: 1s,"
                    + " disable_stateless_session_resumption: true, require_sni: false"))
        .contains(new DownstreamTls(DEFAULT, Optional.empty(), false, List.of()));
    assertThat(downstreamOf("")).isEmpty();
  }

  @ParameterizedTest(name = "{0}")
  @Conformance({"A29S-03", "A29S-09"})
  @ValueSource(
      strings = {
        "tls_certificate_provider_instance: {instance_name: default}, validation_context:"
            + " {ca_certificate_provider_instance: {instance_name: ROOTCA}, trusted_ca: {filename: x}}",
        "tls_certificate_provider_instance: {instance_name: default},"
            + " tls_certificate_certificate_provider_instance: {instance_name: old},"
            + " combined_validation_context: {default_validation_context:"
            + " {ca_certificate_provider_instance: {instance_name: ROOTCA}},"
            + " validation_context_certificate_provider_instance: {instance_name: old}}",
        "tls_certificate_certificate_provider_instance: {instance_name: default},"
            + " combined_validation_context: {default_validation_context: {},"
            + " validation_context_certificate_provider_instance: {instance_name: ROOTCA}}",
        "tls_certificate_certificate_provider_instance: {instance_name: default},"
            + " validation_context_certificate_provider_instance: {instance_name: ROOTCA}",
      })
  void serverReadsBothGenerationsOfFields(String common) {
    assertThat(downstream("require_client_certificate: true, common_tls_context: {" + common + "}"))
        .contains(new DownstreamTls(DEFAULT, Optional.of("ROOTCA"), true, List.of()));
  }

  @Test
  @Conformance("A29S-07")
  void serverReadsNamesOfClients() {
    assertThat(
            downstream(
                "common_tls_context: {tls_certificate_provider_instance: {instance_name: default},"
                    + " validation_context: {"
                    + ROOTS
                    + ", match_subject_alt_names: [{exact: a}]}}"))
        .contains(
            new DownstreamTls(
                DEFAULT,
                Optional.of("ROOTCA"),
                false,
                List.of(SanMatcher.ofAnyKind(new StringMatcher.Exact("a", false)))));
  }

  @ParameterizedTest(name = "{0} -> {1}")
  @Conformance({"A29S-02", "A29S-03", "A29S-04", "A29S-06"})
  @CsvSource(
      delimiter = '|',
      value = {
        "common_tls_context: {} | common_tls_context.tls_certificate_provider_instance: is missing",
        "common_tls_context: {tls_certificates: [{}]} | common_tls_context.tls_certificates: is not",
        "common_tls_context: {ID, validation_context: {}} | common_tls_context: names no roots",
        "common_tls_context: {ID, combined_validation_context: {}} | common_tls_context: names no",
        "common_tls_context: {ID, validation_context_sds_secret_config: {}} |"
            + " common_tls_context: names no roots",
        "common_tls_context: {ID, validation_context: {system_root_certs: {}}} |"
            + " common_tls_context.validation_context.system_root_certs: is for clients",
        "common_tls_context: {ID, validation_context: {ca_certificate_provider_instance:"
            + " {instance_name: x}}} | common_tls_context.validation_context"
            + ".ca_certificate_provider_instance.instance_name: \"x\" is not among",
        "common_tls_context: {ID, validation_context: {ROOTS, crl: {filename: x}}} |"
            + " common_tls_context.validation_context.crl: is not supported",
        "common_tls_context: {ID, validation_context: {ROOTS, verify_certificate_spki: [x]}} |"
            + " common_tls_context.validation_context.verify_certificate_spki: is not supported",
        "common_tls_context: {ID, custom_handshaker: {name: x}} |"
            + " common_tls_context.custom_handshaker: is not supported",
        "common_tls_context: {ID}, require_client_certificate: true |"
            + " require_client_certificate: needs a validation_context",
        "common_tls_context: {ID}, require_sni: true | require_sni: is not supported",
        "common_tls_context: {ID}, ocsp_staple_policy: STRICT_STAPLING | ocsp_staple_policy: must",
        "common_tls_context: {ID}, ocsp_staple_policy: 9 | ocsp_staple_policy: must",
      })
  void serverRefusesWhatItCannotCheck(String fields, String error) {
    String filled =
        fields
            .replace("ID", "tls_certificate_provider_instance: {instance_name: default}")
            .replace("ROOTS", ROOTS);

    assertThat(
            Decoding.errors(
                LISTENER, listener(", transport_socket: " + downstreamSocket(filled)), CONTEXT))
        .singleElement()
        .asString()
        .startsWith("filter_chains[0].transport_socket.typed_config." + error);
  }

  @ParameterizedTest(name = "{0} -> {1}")
  @Conformance("A29S-01")
  @CsvSource(
      delimiter = '|',
      value = {
        "envoy.transport_sockets.tls | envoy.extensions.transport_sockets.raw_buffer.v3.RawBuffer |"
            + " typed_config: holds",
        "envoy.transport_sockets.tls | envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext |"
            + " typed_config: holds",
        "tls | envoy.extensions.transport_sockets.tls.v3.DownstreamTlsContext |"
            + " name: \"tls\" is not supported",
      })
  void serverRefusesOtherTransportSockets(String name, String type, String error) {
    String common =
        "common_tls_context: {tls_certificate_provider_instance: {instance_name: default}}";
    String fields = type.endsWith("TlsContext") ? ", " + common : "";
    String socket =
        "{name: %s, typed_config: {\"@type\": \"type.googleapis.com/%s\"%s}}"
            .formatted(name, type, fields);

    assertThat(Decoding.errors(LISTENER, listener(", transport_socket: " + socket), CONTEXT))
        .singleElement()
        .asString()
        .startsWith("filter_chains[0].transport_socket." + error);
  }

  private static Optional<DownstreamTls> downstream(String fields) {
    return downstreamOf(", transport_socket: " + downstreamSocket(fields));
  }

  private static Optional<DownstreamTls> downstreamOf(String chainFields) {
    var listener = (SocketListener) Decoding.valid(LISTENER, listener(chainFields), CONTEXT);
    return listener.chains().get(0).tls();
  }

  private static String downstreamSocket(String fields) {
    return "{name: envoy.transport_sockets.tls, typed_config: {\"@type\": \"type.googleapis.com/"
        + TransportSecurityDecoder.DOWNSTREAM_TLS
        + "\", "
        + fields
        + "}}";
  }

  private static String listener(String chainFields) {
    return """
    {name: l, address: {socket_address: {address: "::", port_value: 80}}, filter_chains: [{
      filters: [{name: m, typed_config: {"@type": "type.googleapis.com/%s",
        rds: {route_config_name: r, config_source: {ads: {}}}, http_filters: [
          {name: r, typed_config: {"@type": "type.googleapis.com/%s"}}]}}]%s}]}
    """
        .formatted(ConnectionManagerDecoder.TYPE, FilterDecoders.ROUTER, chainFields);
  }
}
