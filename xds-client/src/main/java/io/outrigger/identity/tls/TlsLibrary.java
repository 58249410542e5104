package io.outrigger.identity.tls;

import io.netty.handler.ssl.OpenSsl;
import io.outrigger.base.AnyThread;
import io.outrigger.identity.certificate.PeerVerifier;
import io.outrigger.identity.certificate.TlsMaterial;
import java.security.GeneralSecurityException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The TLS libraries, and the choice between them (decision proxy-0043). */
@AnyThread
public enum TlsLibrary {
  /** The default, if it can be loaded and can sign with the identity. */
  BORINGSSL,
  JDK;

  /** The system property that selects a library by its name in lower case. */
  public static final String PROPERTY = "outrigger.tls.library";

  private static final Logger log = LoggerFactory.getLogger(TlsLibrary.class);

  /** Warnings already logged; contexts are created often, and each warning is logged once. */
  private static final Set<String> warned = ConcurrentHashMap.newKeySet();

  /** Returns the library for connections with this identity. The first call loads BoringSSL. */
  public static TlsLibrary of(TlsMaterial material) {
    boolean canSign =
        material
            .identity()
            .map(identity -> BoringSslEngines.canSign(identity.leaf().getPublicKey()))
            .orElse(true);
    return isBoringSslWanted() && canSign && isBoringSslLoaded() ? BORINGSSL : JDK;
  }

  private static boolean isBoringSslWanted() {
    String name = System.getProperty(PROPERTY, "boringssl");
    if (!name.equals("boringssl") && !name.equals("jdk")) {
      warn(
          "-D%s=%s is neither boringssl nor jdk; it counts as boringssl".formatted(PROPERTY, name));
    }
    return !name.equals("jdk");
  }

  private static boolean isBoringSslLoaded() {
    if (!OpenSsl.isAvailable()) {
      warn("BoringSSL cannot be loaded, so TLS is the JDK's: " + OpenSsl.unavailabilityCause());
      return false;
    }
    return true;
  }

  private static void warn(String text) {
    if (warned.add(text)) {
      log.warn("{}", text);
    }
  }

  /** Makes the context that the engines share. Takes milliseconds. */
  public TlsEngines engines(TlsMaterial material, List<String> alpn, PeerVerifier verifier)
      throws GeneralSecurityException {
    return this == BORINGSSL
        ? BoringSslEngines.of(material, alpn, verifier)
        : JdkEngines.of(material, alpn, verifier);
  }
}
