// R itself with the thread sanitiser in it, for tools/r-builds: loaded later it cannot start.
#define R_INTERFACE_PTRS
#include <Rembedded.h>
#include <Rinterface.h>

int main(int argc, char** argv) {
  Rf_initialize_R(argc, argv);
  Rf_mainloop();
  return 0;
}
