package io.outrigger.identity.tls;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.handler.codec.DecoderException;
import io.netty.handler.ssl.NotSslRecordException;
import io.outrigger.config.tls.HandshakeResult;
import io.outrigger.identity.certificate.CertificateRefusal;
import io.outrigger.identity.certificate.PeerRole;
import io.outrigger.identity.certificate.RefusedCertificate;
import io.outrigger.testing.Conformance;
import java.net.SocketException;
import java.nio.channels.ClosedChannelException;
import java.security.cert.CertificateException;
import java.util.stream.Stream;
import javax.net.ssl.SSLHandshakeException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class TlsFailureTest {
  private static Arguments certificate(HandshakeResult result) {
    var failure = new SSLHandshakeException("PKIX");
    var refusal = new CertificateRefusal(result, "our words");
    failure.initCause(new CertificateException(null, new RefusedCertificate(refusal)));
    return Arguments.of(new DecoderException(failure), "our words", result);
  }

  private static Arguments alert(String alert, HandshakeResult result) {
    return Arguments.of(
        new DecoderException(new SSLHandshakeException("Received fatal alert: " + alert)),
        "TLS handshake failed: alert " + alert,
        result);
  }

  private static Arguments boringSsl(String name, String text, HandshakeResult result) {
    return Arguments.of(
        new DecoderException(
            new SSLHandshakeException("error:10000418:SSL routines:OPENSSL_internal:" + name)),
        "TLS handshake failed: " + text,
        result);
  }

  static Stream<Arguments> failures() {
    return Stream.of(
        certificate(HandshakeResult.CERTIFICATE_HOSTNAME_MISMATCH),
        certificate(HandshakeResult.CERTIFICATE_EXPIRED),
        certificate(HandshakeResult.CERTIFICATE_NOT_YET_VALID),
        certificate(HandshakeResult.CERTIFICATE_AUTHORITY_INVALID),
        certificate(HandshakeResult.CERTIFICATE_VERIFICATION_FAILED),
        Arguments.of(
            new DecoderException(new CertificateException("no subject")),
            "no subject",
            HandshakeResult.CERTIFICATE_MALFORMED),
        alert("certificate_expired", HandshakeResult.CERTIFICATE_EXPIRED),
        alert("certificate_revoked", HandshakeResult.CERTIFICATE_REVOKED),
        alert("unknown_ca", HandshakeResult.CERTIFICATE_AUTHORITY_INVALID),
        alert("handshake_failure", HandshakeResult.CIPHER_SUITE_MISMATCH),
        alert("protocol_version", HandshakeResult.PROTOCOL_VERSION_UNSUPPORTED),
        alert("no_application_protocol", HandshakeResult.NO_APPLICATION_PROTOCOL),
        alert("some_new_one", HandshakeResult.UNKNOWN_FAILURE),
        boringSsl(
            "TLSV1_ALERT_UNKNOWN_CA",
            "alert unknown_ca",
            HandshakeResult.CERTIFICATE_AUTHORITY_INVALID),
        boringSsl(
            "SSLV3_ALERT_HANDSHAKE_FAILURE",
            "alert handshake_failure",
            HandshakeResult.CIPHER_SUITE_MISMATCH),
        boringSsl(
            "TLSV1_ALERT_CERTIFICATE_REQUIRED",
            "alert certificate_required",
            HandshakeResult.CERTIFICATE_VERIFICATION_FAILED),
        boringSsl(
            "UNSUPPORTED_PROTOCOL",
            "unsupported protocol",
            HandshakeResult.PROTOCOL_VERSION_UNSUPPORTED),
        boringSsl(
            "EXCESSIVE_MESSAGE_SIZE", "excessive message size", HandshakeResult.UNKNOWN_FAILURE),
        Arguments.of(
            new DecoderException(new NotSslRecordException("not an SSL/TLS record: 00")),
            "TLS handshake failed: the server answered in plain text",
            HandshakeResult.UNEXPECTED_MESSAGE),
        Arguments.of(
            new ClosedChannelException(),
            "TLS handshake failed: the server closed the connection",
            HandshakeResult.PEER_CONNECTION_CLOSED),
        Arguments.of(
            new SocketException("Connection reset"),
            "TLS handshake failed: connection reset by peer",
            HandshakeResult.PEER_CONNECTION_CLOSED));
  }

  @Conformance({"A29-06", "A118-01"})
  @ParameterizedTest(name = "{1}")
  @MethodSource("failures")
  void theReasonIsToldAndCounted(Throwable failure, String text, HandshakeResult result) {
    assertThat(TlsFailure.describe(failure, PeerRole.SERVER)).isEqualTo(text);
    assertThat(TlsFailure.result(failure)).isEqualTo(result);
  }
}
