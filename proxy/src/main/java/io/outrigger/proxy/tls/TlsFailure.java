package io.outrigger.proxy.tls;

import io.netty.handler.ssl.NotSslRecordException;
import io.outrigger.proxy.http2.SocketErrors;
import java.nio.channels.ClosedChannelException;
import java.security.cert.CertificateException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Why a TLS handshake failed, or a TLS connection ended, in words for operators. */
final class TlsFailure {
  private static final Pattern ALERT = Pattern.compile("(?i)received fatal alert: (\\w+)");

  private TlsFailure() {}

  /**
   * Our own reason where the peer's certificate was refused ({@code certificate verify failed: …},
   * {@code SAN … not accepted}), {@code alert …} where one came from the peer.
   */
  static String describe(@Nullable Throwable failure) {
    for (Throwable each = failure; each != null; each = each.getCause()) {
      if (each instanceof CertificateException) {
        return String.valueOf(each.getMessage());
      }
      if (each instanceof NotSslRecordException) {
        return "TLS handshake failed: the server answered in plain text";
      }
      if (each instanceof ClosedChannelException) {
        return "TLS handshake failed: the server closed the connection";
      }
      Matcher alert = ALERT.matcher(String.valueOf(each.getMessage()));
      if (alert.find()) {
        return "TLS handshake failed: alert " + alert.group(1);
      }
    }
    return "TLS handshake failed: " + SocketErrors.describe(failure);
  }
}
