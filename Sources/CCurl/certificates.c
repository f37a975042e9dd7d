#include "CPlatformImageCurl.h"

#include <limits.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509_vfy.h>
#include <stdlib.h>
#include <string.h>

// Without a callback, libcrypto asks the terminal for the password of an encrypted text.
static int no_password(char *buffer, int size, int rwflag, void *context) {
  (void)buffer, (void)size, (void)rwflag, (void)context;
  return -1;
}

// Copies all certificates; false if one is invalid or there is none.
static bool copy(BIO *source, BIO *result) {
  for (int count = 0;; count++) {
    X509 *certificate = PEM_read_bio_X509(source, NULL, no_password, NULL);
    if (!certificate) {
      // The end of the text is an error, too.
      unsigned long error = ERR_peek_last_error();
      return count > 0 && ERR_GET_LIB(error) == ERR_LIB_PEM &&
             ERR_GET_REASON(error) == PEM_R_NO_START_LINE;
    }
    int written = PEM_write_bio_X509(result, certificate);
    X509_free(certificate);
    if (written != 1) return false;
  }
}

char *picu_certificates(const char *pem, size_t size, size_t *result_size) {
  if (size > INT_MAX) return NULL;
  BIO *source = BIO_new_mem_buf(pem, (int)size);
  BIO *result = BIO_new(BIO_s_mem());
  char *text = NULL;
  if (source && result && copy(source, result)) {
    char *bytes = NULL;
    long length = BIO_get_mem_data(result, &bytes);
    if (length > 0 && (text = malloc((size_t)length))) {
      memcpy(text, bytes, (size_t)length);
      *result_size = (size_t)length;
    }
  }
  BIO_free(source);
  BIO_free(result);
  ERR_clear_error();
  return text;
}

const char *picu_verify_text(long result) { return X509_verify_cert_error_string(result); }
