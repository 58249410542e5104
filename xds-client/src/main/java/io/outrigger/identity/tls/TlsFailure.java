package io.outrigger.identity.tls;

import io.netty.handler.ssl.NotSslRecordException;
import io.outrigger.base.SocketErrors;
import io.outrigger.config.tls.HandshakeResult;
import io.outrigger.identity.certificate.PeerRole;
import io.outrigger.identity.certificate.RefusedCertificate;
import java.net.SocketException;
import java.nio.channels.ClosedChannelException;
import java.security.cert.CertificateException;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Describes for operators why a TLS handshake failed or a TLS connection ended. */
public final class TlsFailure {
  private static final Pattern BORINGSSL = Pattern.compile("OPENSSL_internal:(\\w+)");

  /** The A118 result for each known TLS alert and each known error of BoringSSL. */
  private static final Map<String, HandshakeResult> RESULTS =
      Map.ofEntries(
          Map.entry("certificate_revoked", HandshakeResult.CERTIFICATE_REVOKED),
          Map.entry("certificate_expired", HandshakeResult.CERTIFICATE_EXPIRED),
          Map.entry("unknown_ca", HandshakeResult.CERTIFICATE_AUTHORITY_INVALID),
          Map.entry("bad_certificate", HandshakeResult.CERTIFICATE_VERIFICATION_FAILED),
          Map.entry("certificate_unknown", HandshakeResult.CERTIFICATE_VERIFICATION_FAILED),
          Map.entry("certificate_required", HandshakeResult.CERTIFICATE_VERIFICATION_FAILED),
          Map.entry("unsupported_certificate", HandshakeResult.CERTIFICATE_MALFORMED),
          Map.entry("handshake_failure", HandshakeResult.CIPHER_SUITE_MISMATCH),
          Map.entry("insufficient_security", HandshakeResult.CIPHER_SUITE_MISMATCH),
          Map.entry("protocol_version", HandshakeResult.PROTOCOL_VERSION_UNSUPPORTED),
          Map.entry("inappropriate_fallback", HandshakeResult.INAPPROPRIATE_FALLBACK),
          Map.entry("no_application_protocol", HandshakeResult.NO_APPLICATION_PROTOCOL),
          Map.entry("decrypt_error", HandshakeResult.SIGNATURE_VERIFICATION_FAILED),
          Map.entry("bad_record_mac", HandshakeResult.DECRYPTION_FAILED),
          Map.entry("illegal_parameter", HandshakeResult.KEY_EXCHANGE_FAILURE),
          Map.entry("unexpected_message", HandshakeResult.UNEXPECTED_MESSAGE),
          Map.entry("unsupported_protocol", HandshakeResult.PROTOCOL_VERSION_UNSUPPORTED),
          Map.entry("no_shared_cipher", HandshakeResult.CIPHER_SUITE_MISMATCH),
          Map.entry("wrong_cipher_returned", HandshakeResult.CIPHER_SUITE_MISMATCH),
          Map.entry("wrong_curve", HandshakeResult.KEY_EXCHANGE_FAILURE),
          Map.entry("bad_signature", HandshakeResult.SIGNATURE_VERIFICATION_FAILED),
          Map.entry("wrong_signature_type", HandshakeResult.SIGNATURE_VERIFICATION_FAILED),
          Map.entry("digest_check_failed", HandshakeResult.DECRYPTION_FAILED),
          Map.entry("decryption_failed_or_bad_record_mac", HandshakeResult.DECRYPTION_FAILED),
          Map.entry("cannot_parse_leaf_cert", HandshakeResult.CERTIFICATE_MALFORMED));

  private TlsFailure() {}

  /**
   * Returns the reason of the failure. If the peer's certificate was refused, the reason is the
   * verifier's own text ({@code certificate verify failed: …}, {@code SAN … not accepted}). If the
   * peer sent an alert, the reason ends with the name of the alert.
   */
  public static String describe(@Nullable Throwable failure, PeerRole peer) {
    for (Throwable each = failure; each != null; each = each.getCause()) {
      if (each instanceof CertificateException && each.getMessage() != null) {
        return each.getMessage(); // from the verifier, or from the JDK's certificate parser
      }
      if (each instanceof NotSslRecordException) {
        return "TLS handshake failed: the "
            + peer.word()
            + (peer == PeerRole.SERVER ? " answered in plain text" : " sent plain text");
      }
      if (each instanceof ClosedChannelException) {
        return "TLS handshake failed: the " + peer.word() + " closed the connection";
      }
      Optional<String> alert = SocketErrors.tlsAlert(each);
      if (alert.isPresent()) {
        return "TLS handshake failed: alert " + alert.get();
      }
      Optional<String> fault = fault(each);
      if (fault.isPresent()) {
        return "TLS handshake failed: " + fault.get().replace('_', ' ');
      }
    }
    return "TLS handshake failed: " + SocketErrors.describe(failure);
  }

  private static Optional<String> fault(Throwable failure) {
    Matcher fault = BORINGSSL.matcher(String.valueOf(failure.getMessage()));
    return fault.find() ? Optional.of(fault.group(1).toLowerCase(Locale.ROOT)) : Optional.empty();
  }

  /** Returns the A118 value of a failure, or UNKNOWN_FAILURE for an unknown message. */
  public static HandshakeResult result(@Nullable Throwable failure) {
    HandshakeResult result = HandshakeResult.UNKNOWN_FAILURE;
    for (Throwable each = failure; each != null; each = each.getCause()) {
      if (each instanceof RefusedCertificate refused) {
        return refused.result();
      }
      if (each instanceof ClosedChannelException || each instanceof SocketException) {
        return HandshakeResult.PEER_CONNECTION_CLOSED;
      }
      Throwable failed = each;
      Optional<String> reason = SocketErrors.tlsAlert(each).or(() -> fault(failed));
      if (reason.isPresent()) {
        return RESULTS.getOrDefault(reason.get(), HandshakeResult.UNKNOWN_FAILURE);
      }
      if (each instanceof NotSslRecordException) {
        return HandshakeResult.UNEXPECTED_MESSAGE;
      }
      if (each instanceof CertificateException) { // unless its cause says more
        result = HandshakeResult.CERTIFICATE_MALFORMED;
      }
    }
    return result;
  }
}
