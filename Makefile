# `make demo` and `make test` do all the set-up on a fresh machine with a Swift toolchain.
# `make help` prints the text after `##` of each target, in groups that begin with `##@`.

CORPUS ?= ../shared/corpus
SWIFT ?= swift
SANITIZE = --scratch-path .build-asan --sanitize=address -Xcc -fsanitize=undefined -Xcc -fsanitize-trap=undefined
TOOL = .build/release/imagetool
# SwiftPM's $ORIGIN in RUNPATH would load libraries from the program's own folder; a static Swift runtime needs none.
STATIC = --static-swift-stdlib --disable-local-rpath
TOOL_BUILD = -c release $(STATIC)
# Links to the tools, for scripts of earlier versions, which built the tools with the thumbnail service there.
SERVICE_TOOL = .build-service/release/imagetool

.DEFAULT_GOAL := help
# No target is a file.
.PHONY: $(shell sed -n 's/^\([a-z0-9-]*\):.*/\1/p' $(firstword $(MAKEFILE_LIST)))

help: ## Prints this list
	@awk -F ':.*## ' '/^##@ / { printf "\n%s\n", substr($$0, 5) } \
		/^## / { print "  " substr($$0, 4) } \
		/^[a-z0-9-]+:.*## / { printf "  %-20s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

##@ Build
bootstrap: ## Installs missing system libraries
	@Scripts/bootstrap

build: bootstrap ## Debug build of all targets
	$(SWIFT) build

tool: bootstrap ## Release build of imagetool, imagetool-decoder and imagetool-bench in .build/release
	@$(SWIFT) build $(TOOL_BUILD) --product imagetool
	@$(SWIFT) build $(TOOL_BUILD) --product imagetool-decoder
	@$(SWIFT) build $(TOOL_BUILD) --product imagetool-bench
	@Scripts/build/strip $(TOOL) $(TOOL)-decoder $(TOOL)-bench

service-tool: tool ## The tools of `make tool`, also as links in .build-service/release
	@mkdir -p $(dir $(SERVICE_TOOL))
	@for suffix in "" -decoder -bench; do ln -sf ../../$(TOOL)$$suffix $(SERVICE_TOOL)$$suffix; done

c-library: bootstrap ## Shared library, header and pkg-config file of the C interface in PREFIX (.build-c-library)
	@SWIFT=$(SWIFT) Scripts/build/c-library $(PREFIX)

demo: tool ## Loads 1,000 images over HTTP: network, memory, disk, 304
	@$(TOOL)-bench demo Fixtures --sheet .build/contact-sheet.png

demo-service: tool ## Thumbnail service: a table of targets of both dialects, then the gallery until Ctrl-C
	@$(TOOL)-bench demo-service

##@ Test
test: bootstrap ## All tests
	@SWIFT=$(SWIFT) Scripts/test

test-service: bootstrap ## Tests of the thumbnail service and of its HTTP server
	@SWIFT=$(SWIFT) Scripts/test --filter 'ThumbnailServiceTests|HTTPServerTests'

# The tests of the core, of the C interface, of the loader's own parsers and C code, and of the query of package
# versions, which starts a process. Long model tests of pure Swift
# code, which is memory-safe, are skipped; the C programs are built with the sanitizers and run separately. AttackTests
# plants memory errors, which the address sanitizer reports before they have the expected effect; it also needs a limit
# of the address space, and the sanitizer's shadow memory exceeds every limit, so that workers have none in this build.
# The tests after it expect the signal of a crash, which the sanitizer's handler replaces, or the limit.
PLANTED_DEFECTS = AttackTests|fileThatCrashedAWorkerIsRefused|failureHandlerReceivesTheError
ADDRESS_SPACE = addressSpaceIsAtMost|DoesNotFitIntoTheAddressSpace
MODELS = MemoryCacheModelTests|AvailableMemoryTests|DecodeBudgetTests
C_PROGRAMS = CContractTests|InterfaceProgramTests
LIBRARIES = imagetoolTests.(InstalledLibrary|PackageVersion)Tests
SANITIZED = PlatformImageTests|PlatformImageCTests|LoaderTests.(Digest|Checksum|ContentDecoder)|$(LIBRARIES)
NOT_SANITIZED = $(MODELS)|$(C_PROGRAMS)|$(PLANTED_DEFECTS)|$(ADDRESS_SPACE)

asan: bootstrap ## Decoding tests with the address and undefined-behaviour sanitizers
	CC=clang CFLAGS="-g -fsanitize=address,undefined -fno-sanitize-recover=undefined" LDFLAGS=-fuse-ld=lld \
		Tests/CImageCodecsTests/run .build-c-tests-asan
	CC=clang CFLAGS="-g -fsanitize=address,undefined -fno-sanitize-recover=undefined" LDFLAGS=-fuse-ld=lld \
		Tests/CSandboxTests/run .build-c-sandbox-tests-asan
	LSAN_OPTIONS=suppressions=$(CURDIR)/Scripts/lib/lsan.supp:print_suppressions=0 SWIFT=$(SWIFT) \
		Scripts/test $(SANITIZE) --filter '$(SANITIZED)' --skip '$(NOT_SANITIZED)'
	CC=clang CFLAGS=-fsanitize=address LDFLAGS=-fuse-ld=lld \
		Tests/CInterfaceTests/run .build-asan/debug/libPlatformImageC.so .build-c-interface-tests-asan

# Loader suites that run on scripted transports.
TSAN_LOADING = Coalescing|Configuration|Load[A-Z]|Lookup|MemoryHit|PassThrough|Prefetch|RequestModifier|Resume
TSAN_PARTS = Credentials|ImageSlot|LaneSchedule|Negative|Redirect|RequestLanes|Retry
TSAN_BUILD = --scratch-path .build-tsan --sanitize=thread -Xswiftc -DTHREAD_SANITIZER
TSAN_LOADER = LoaderTests.(Disk[A-Z]|Transport[A-Z]|$(TSAN_LOADING)|$(TSAN_PARTS))[A-Za-z]*Tests
TSAN_SERVICE = HTTPServerTests|ThumbnailServiceTests
# Tests of processes that end: the sanitizer changes how they end, and its runtime needs more time than they allow.
NOT_TSAN = WorkerEndTests

tsan: bootstrap ## Tests of the caches, the queue, the loader and the service with the thread sanitizer
	@SWIFT=$(SWIFT) Scripts/test $(TSAN_BUILD) --skip '$(NOT_TSAN)' \
		--filter 'DecodeQueue|MemoryCache|PlatformImageTests.ConcurrencyTests|$(TSAN_LOADER)|$(TSAN_SERVICE)'

faults: bootstrap ## Repeats the disk cache's fault tests with random seeds; ARGUMENTS=5 sets the repetitions (20)
	@Scripts/verify/faults $(ARGUMENTS)

##@ Lint
lint: ## Formatting, C warnings, disallowed calls, dependencies of files and folders, references of documents
	@Scripts/bootstrap lint
	Scripts/lint

documents: ## References of documents and comments: files, sections, tests, commands; length of lines
	@Scripts/verify/documents $(ARGUMENTS)

##@ Format
format: ## Formats the Swift and C sources
	@Scripts/bootstrap lint
	$(SWIFT) format -i -r Sources Tests Examples Fuzz/Sources Benchmarks Package.swift Fuzz/Package.swift
	git ls-files 'Sources/*.[ch]' 'Tests/*.[ch]' 'Fuzz/*.c' | xargs clang-format -i

##@ Check
# Scripts/lib/steps lists the steps before the tests; `.ci/run` reads the same list.
check: ## Runs the checks of CI and slower ones
	@SWIFT=$(SWIFT) CORPUS=$(CORPUS) Scripts/lib/run-steps check
	@$(MAKE) --no-print-directory test

traits: bootstrap ## Builds with and without the trait WebP, debug and release, without warnings
	Scripts/verify/traits

linkage: bootstrap ## A program that uses only PlatformImage links neither Foundation nor another package
	Scripts/verify/linkage

verify-c-library: tool c-library ## Exports and dependencies of the C library; its examples against imagetool; valgrind
	-@Scripts/bootstrap check
	@Scripts/verify/c-library $(PREFIX)

linkage-tool: tool ## The tools have full RELRO and no RUNPATH; size of imagetool; libraries of imagetool-decoder
	Scripts/verify/linkage tool

libraries: tool ## Packages in documents against the libraries of the tools; fixes and the calls that reach them
	Scripts/verify/libraries $(TOOL) $(TOOL)-decoder $(TOOL)-bench

# The build of `make test`: a build without tests has other flags and would replace its objects.
api: bootstrap ## Breaking changes of the public API since the last version; ARGUMENTS=--list prints all declarations
	@$(SWIFT) build --build-tests
	@SWIFT=$(SWIFT) Scripts/verify/api $(ARGUMENTS)

fixtures: ## Compares Fixtures/manifest.json with the files
	python3 Fixtures/make/make.py --check

##@ Fuzz
fuzz: bootstrap ## Fuzzes each target for SECONDS_EACH (600) seconds, JOBS (2) in parallel
	CORPUS=$(CORPUS) Fuzz/run

mutate: tool ## Decodes COUNT (10000) corpus files with random cuts and bit flips, with time and memory limits
	CORPUS=$(CORPUS) Scripts/verify/mutate $(ARGUMENTS)

##@ Benchmarks
bench: tool ## Decoding against the plain C libraries, each ratio with its target; writes Docs/benchmarks
	@Scripts/bench/decode $(ARGUMENTS)

bench-peers: tool ## The images of `make bench` with Pillow, pyvips, OpenCV and imagecodecs
	@Scripts/bench/peers $(ARGUMENTS)

bench-load: tool ## The loader and its transport against plain libcurl in C, on loopback
	@Scripts/bench/load $(ARGUMENTS)

bench-http-server: bootstrap ## The HTTP server against nginx with a static file: CPU, switches, idle memory, targets
	@SWIFT=$(SWIFT) Scripts/bench/http-server $(ARGUMENTS)

bench-transport: tool ## New connections with and without TLS, and the memory of a slow reader, with limits
	@Scripts/bench/transport $(ARGUMENTS)

bench-resize: tool ## The resampler against Pillow's, and both against a float64 reference
	@Scripts/bench/resize

bench-pixels: tool ## Pixel operations and loops over pixels against Pillow and loops in C; writes Docs/benchmarks
	@Scripts/bench/pixels

bench-thumb: tool ## Thumbnails against vipsthumbnail, Pillow, GraphicsMagick and ImageMagick, with targets
	@Scripts/bench/thumb $(ARGUMENTS)

bench-isolation: tool ## Decoding in worker processes against decoding in process, targets; writes Docs/isolation.md
	@Scripts/bench/isolation --write $(ARGUMENTS)

bench-png-thumb: bootstrap ## PNG thumbnails: streamed decompression against the whole image; ARGUMENTS=ROUNDS (9)
	@Scripts/bench/png-thumb $(ARGUMENTS)

bench-gif: tool ## GIF output against ImageMagick and gifsicle: CPU time, bytes and PSNR, with targets
	@Scripts/bench/gif $(ARGUMENTS)

bench-webp-encode: bootstrap ## The WebP encoder beside cwebp: CPU time, bytes and similarity, with targets
	@Scripts/bench/webp-encode $(ARGUMENTS)

bench-service: tool ## The service against thumbor and nginx, with targets; ARGUMENTS=--write updates Docs
	@IMAGETOOL=$(TOOL) Scripts/bench/service $(ARGUMENTS)

# ARGUMENTS='pixels loader' selects programs.
bench-builds: bootstrap ## Builds as users of the libraries: packages, steps, CPU minutes and sizes
	@SWIFT=$(SWIFT) Scripts/bench/user-builds $(ARGUMENTS)

# The counts do not depend on the speed of the machine. Needs valgrind.
instructions: bootstrap ## Instruction counts of a fixed set of operations against stored figures
	-@Scripts/bootstrap check
	@SWIFT=$(SWIFT) Scripts/bench/instructions

peak: tool ## Peak memory of full decodes, with bounds
	@Scripts/bench/peak-memory

budget: tool ## 200 concurrent decodes of 12 megapixels: peak resident memory against budget and cache
	@Scripts/bench/budget

memory-chart: tool ## Limit of the memory cache against resident memory; writes the chart, not with ARGUMENTS=--check
	@Scripts/bench/memory-chart $(ARGUMENTS)

worst-inputs: tool ## CPU and peak memory of the worst known file of each format; ARGUMENTS='tiff gif' selects
	@Scripts/bench/worst-inputs $(ARGUMENTS)

service-costs: tool ## CPU and peak memory of the worst known requests; ARGUMENTS='X5 X6' selects
	@IMAGETOOL=$(TOOL) Scripts/bench/service-costs $(ARGUMENTS)

##@ Verify
corpus: tool ## Compares decoding of the corpus with other decoders and with the plain libraries
	@CORPUS=$(CORPUS) Scripts/verify/corpus $(ARGUMENTS)

damaged-files: bootstrap ## Prints the table of damaged TIFF files of Docs/conformance.md
	@Scripts/build/damaged-files $(ARGUMENTS)

verify-encoders: bootstrap ## Decodes the encoders' output with Pillow, djpeg and the tools of libwebp
	@SWIFT=$(SWIFT) Scripts/verify/encoders

verify-metadata: tool ## Checks metadata, profiles and colours of thumbnails with ExifTool and Pillow
	@IMAGETOOL=$(TOOL) Scripts/verify/metadata

# ARGUMENTS=FOLDER selects the output folder.
thumb-page: tool ## Page of thumbnails beside those of other programs, for visual comparison, in .build-thumb-page
	@Scripts/verify/thumb-page $(ARGUMENTS)

# ARGUMENTS='--only load' selects parts.
verify-isolation: tool ## Decoding in workers: results equal to in-process, killed workers, and system calls; takes long
	@Scripts/bootstrap isolation
	@IMAGETOOL=$(TOOL) CORPUS=$(CORPUS) Scripts/verify/isolation $(ARGUMENTS)

verify-python: tool ## Wheel of Clients/python in empty environments: tests with and without NumPy and pyarrow, mypy
	@IMAGETOOL=$(TOOL) Scripts/verify/python-client

# ARGUMENTS='--only daft cost' selects parts; not in CI.
verify-batch: tool ## Daft, Ray, Spark and GNU parallel with workers: rows, killed workers, CPU and memory; takes long
	@IMAGETOOL=$(TOOL) Scripts/verify/batch $(ARGUMENTS)

# ARGUMENTS=20000 sets the number of requests.
worker-soak: tool ## 1,000,000 small requests through one worker; memory and descriptors of its processes
	@IMAGETOOL=$(TOOL) Scripts/verify/worker-soak $(ARGUMENTS)

soak: tool ## 200,000 loads with random cancellation; memory, descriptors and internal tables afterwards
	@Scripts/verify/soak $(ARGUMENTS)

# ARGUMENTS='--only answers' selects parts.
verify-http-server: bootstrap ## The request parser of the HTTP server against h11 on 5,000 random requests
	@SWIFT=$(SWIFT) Scripts/verify/http-server

verify-transport: tool ## Request lines of 10,000 URLs and redirects; results of malformed responses
	@IMAGETOOL=$(TOOL) Scripts/verify/transport $(ARGUMENTS)

# ARGUMENTS='--only B1 N20' selects entries.
verify-reports: tool ## Public bug reports and obstacles of new users, tried with commands, a service and origins
	@IMAGETOOL=$(TOOL) Scripts/verify/reports $(ARGUMENTS)

# ARGUMENTS='--all fit-in' prints all targets that contain a text.
verify-thumbor: tool ## Status, size, format and pixels of the service against thumbor's for the same targets
	@IMAGETOOL=$(TOOL) Scripts/verify/thumbor $(ARGUMENTS)

# ARGUMENTS='COUNT SEED' sets the number of targets and the seed.
verify-libthumbor: tool ## Targets signed by thumbor's client library are accepted, changed ones rejected
	@IMAGETOOL=$(TOOL) Scripts/verify/libthumbor $(ARGUMENTS)

verify-iiif: tool ## Public validator of the IIIF Image API 3.0, level 2; ARGUMENTS selects tests by name
	@IMAGETOOL=$(TOOL) Scripts/verify/iiif $(ARGUMENTS)

verify-nginx-tier: tool ## deploy/nginx.conf with two instances, one of which is killed under load
	@IMAGETOOL=$(TOOL) Scripts/verify/nginx-tier

verify-guard-network: tool ## Counts packets to an internal host, in network namespaces; needs root
	@IMAGETOOL=$(TOOL) Scripts/verify/guard-network

verify-old-libraries: ## The C core with the compiler and libraries of Debian 11, in a debootstrap root; needs root
	@Scripts/verify/old-libraries

verify-arm64: ## The C core cross-compiled for ARM64, its tests and all fixtures in qemu; needs root
	@Scripts/verify/arm64

verify-debian13: ## `make demo` and `make test` in a debootstrap root of Debian 13; needs root
	@Scripts/verify/debian13

verify-container: tool ## The service in a read-only root with 256 MiB and half a processor; needs root
	@IMAGETOOL=$(TOOL) Scripts/verify/container

# ARGUMENTS='--screenshots FOLDER' saves screenshots.
verify-gallery: tool ## The gallery's 1,000 images in headless Chromium
	@Scripts/bootstrap gallery
	@IMAGETOOL=$(TOOL) Scripts/verify/gallery $(ARGUMENTS)

# Other names, some of earlier versions.
guard-network: verify-guard-network
check-%:
	@$(MAKE) --no-print-directory verify-$*

##@ Docs
requirements: ## Writes the tests of each requirement into the tables of Docs; ARGUMENTS=--check compares them
	@Scripts/build/requirements $(ARGUMENTS)

docs: bootstrap ## DocC pages of PlatformImage and PlatformImageLoader; fails on unresolved links and unlisted symbols
	@SWIFT=$(SWIFT) Scripts/build/docs

# ARGUMENTS='--base /PlatformImage' for a site below a path.
site: bootstrap ## Site of the documents, recipes and API in .build-docs/site, for any file server
	@SWIFT=$(SWIFT) Scripts/build/site $(ARGUMENTS)

##@ Variables
## SWIFT                the swift command
## CORPUS               folder of the corpus, by default ../shared/corpus
## PREFIX               folder of the C library, by default .build-c-library
## ARGUMENTS            options of the script, where a target names them
