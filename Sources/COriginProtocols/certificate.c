#include "CPlatformImageOriginProtocols.h"

#include <limits.h>
#include <openssl/bio.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>
#include <stdlib.h>
#include <string.h>

void piop_bytes_free(piop_bytes *bytes) {
  free(bytes->bytes);
  *bytes = (piop_bytes){0};
}

static bool copied(piop_bytes *to, const void *bytes, long size) {
  if (size <= 0) return false;
  to->bytes = malloc((size_t)size);
  if (!to->bytes) return false;
  memcpy(to->bytes, bytes, (size_t)size);
  to->size = (size_t)size;
  return true;
}

static bool copied_der(piop_bytes *to, unsigned char *der, int size) {
  bool is_copied = copied(to, der, size);
  if (size > 0) OPENSSL_free(der);
  return is_copied;
}

static bool encode(X509 *certificate, EVP_PKEY *key, piop_bytes *der, piop_bytes *pem,
                   piop_bytes *key_der) {
  unsigned char *bytes = NULL;
  int size = i2d_X509(certificate, &bytes);
  if (!copied_der(der, bytes, size)) return false;
  bytes = NULL;
  size = i2d_PrivateKey(key, &bytes);
  if (!copied_der(key_der, bytes, size)) return false;
  BIO *text = BIO_new(BIO_s_mem());
  char *characters = NULL;
  long count = 0;
  if (text && PEM_write_bio_X509(text, certificate) == 1) {
    count = BIO_get_mem_data(text, &characters);
  }
  bool is_encoded = copied(pem, characters, count);
  BIO_free(text);
  return is_encoded;
}

// A positive number of 9 bytes.
static bool set_serial(X509 *certificate) {
  unsigned char bytes[9] = {1};
  if (RAND_bytes(bytes + 1, sizeof bytes - 1) != 1) return false;
  BIGNUM *number = BN_bin2bn(bytes, sizeof bytes, NULL);
  bool is_set = number && BN_to_ASN1_INTEGER(number, X509_get_serialNumber(certificate));
  BN_free(number);
  return is_set;
}

static bool add_name(GENERAL_NAMES *names, int type, const void *bytes, size_t size) {
  if (size > INT_MAX) return false;
  GENERAL_NAME *name = GENERAL_NAME_new();
  ASN1_STRING *value =
      ASN1_STRING_type_new(type == GEN_DNS ? V_ASN1_IA5STRING : V_ASN1_OCTET_STRING);
  if (!name || !value || ASN1_STRING_set(value, bytes, (int)size) != 1) {
    GENERAL_NAME_free(name);
    ASN1_STRING_free(value);
    return false;
  }
  GENERAL_NAME_set0_value(name, type, value);
  if (sk_GENERAL_NAME_push(names, name) > 0) return true;
  GENERAL_NAME_free(name);
  return false;
}

static bool add_alternative_names(X509 *certificate, const piop_certificate_request *request) {
  static const unsigned char loopback[4] = {127, 0, 0, 1};
  if (request->host_count == 0 && !request->covers_loopback) return true;
  GENERAL_NAMES *names = sk_GENERAL_NAME_new_null();
  bool is_added = names != NULL;
  for (size_t i = 0; is_added && i < request->host_count; i++) {
    is_added = add_name(names, GEN_DNS, request->hosts[i], strlen(request->hosts[i]));
  }
  if (is_added && request->covers_loopback) {
    is_added = add_name(names, GEN_IPADD, loopback, sizeof loopback);
  }
  is_added = is_added && X509_add1_ext_i2d(certificate, NID_subject_alt_name, names, 0, 0) == 1;
  GENERAL_NAMES_free(names);
  return is_added;
}

static bool add_constraints(X509 *certificate) {
  BASIC_CONSTRAINTS *constraints = BASIC_CONSTRAINTS_new();
  if (!constraints) return false;
  constraints->ca = 1;
  bool is_added = X509_add1_ext_i2d(certificate, NID_basic_constraints, constraints, 1, 0) == 1;
  BASIC_CONSTRAINTS_free(constraints);
  return is_added;
}

static bool set_names(X509 *certificate, const X509 *issuer,
                      const piop_certificate_request *request) {
  X509_NAME *subject = X509_get_subject_name(certificate);
  if (issuer && request->shares_issuer_name) {
    if (X509_set_subject_name(certificate, X509_get_subject_name(issuer)) != 1) return false;
  } else if (X509_NAME_add_entry_by_NID(subject, NID_commonName, MBSTRING_UTF8,
                                        (const unsigned char *)request->common_name, -1, -1,
                                        0) != 1) {
    return false;
  }
  return X509_set_issuer_name(certificate, X509_get_subject_name(issuer ? issuer : certificate)) ==
         1;
}

static bool fill(X509 *certificate, EVP_PKEY *key, const X509 *issuer,
                 const piop_certificate_request *request) {
  return X509_set_version(certificate, X509_VERSION_3) == 1 && set_serial(certificate) &&
         set_names(certificate, issuer, request) &&
         ASN1_UTCTIME_set_string(X509_getm_notBefore(certificate), request->not_before) == 1 &&
         ASN1_UTCTIME_set_string(X509_getm_notAfter(certificate), request->not_after) == 1 &&
         X509_set_pubkey(certificate, key) == 1 && add_constraints(certificate) &&
         add_alternative_names(certificate, request);
}

bool piop_certificate_make(const piop_certificate_request *request, piop_bytes *der,
                           piop_bytes *pem, piop_bytes *key_der) {
  *der = *pem = *key_der = (piop_bytes){0};
  X509 *issuer = NULL;
  EVP_PKEY *issuer_key = NULL;
  bool has_issuer = request->issuer != NULL;
  if (has_issuer && request->issuer_size <= LONG_MAX && request->issuer_key_size <= LONG_MAX) {
    const unsigned char *bytes = request->issuer;
    const unsigned char *key_bytes = request->issuer_key;
    issuer = d2i_X509(NULL, &bytes, (long)request->issuer_size);
    issuer_key = d2i_AutoPrivateKey(NULL, &key_bytes, (long)request->issuer_key_size);
  }
  EVP_PKEY *key = EVP_EC_gen("P-256");
  X509 *certificate = X509_new();
  bool is_made = certificate && key && (!has_issuer || (issuer && issuer_key)) &&
                 fill(certificate, key, issuer, request) &&
                 X509_sign(certificate, has_issuer ? issuer_key : key, EVP_sha256()) > 0 &&
                 encode(certificate, key, der, pem, key_der);
  if (!is_made) {
    piop_bytes_free(der);
    piop_bytes_free(pem);
    piop_bytes_free(key_der);
  }
  X509_free(certificate);
  EVP_PKEY_free(key);
  X509_free(issuer);
  EVP_PKEY_free(issuer_key);
  return is_made;
}
