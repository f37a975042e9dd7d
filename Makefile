# `make demo` and `make test` do all the set-up on a fresh machine with a Swift toolchain.

CORPUS ?= ../shared/corpus
SWIFT ?= swift
SANITIZE = --disable-default-traits --scratch-path .build-asan --sanitize=address \
	-Xcc -fsanitize=undefined -Xcc -fsanitize-trap=undefined
TOOL = .build/release/imagetool
# SwiftPM's $ORIGIN in RUNPATH would load libraries from the program's own folder; a static Swift runtime needs none.
STATIC = --static-swift-stdlib --disable-local-rpath

.PHONY: demo test test-service build lint format asan tsan fuzz mutate corpus bench bench-peers bench-load bench-resize bench-thumb instructions peak soak budget docs check traits linkage linkage-tool fixtures check-encoders tool bootstrap bench-service check-thumbor check-nginx-tier check-guard-network service-tool demo-service check-gallery service-costs worst-inputs

demo: tool
	@$(TOOL)-bench demo Fixtures --sheet .build/contact-sheet.png

# Includes the thumbnail service, which the default traits leave out.
test: bootstrap
	@SWIFT=$(SWIFT) Scripts/test --traits default,Service

test-service: bootstrap
	@SWIFT=$(SWIFT) Scripts/test --traits default,Service --filter ThumbnailServiceTests

build: bootstrap
	$(SWIFT) build

tool: bootstrap
	@$(SWIFT) build -c release $(STATIC) --product imagetool
	@$(SWIFT) build -c release $(STATIC) --product imagetool-bench

bootstrap:
	@Scripts/bootstrap

lint:
	@Scripts/bootstrap lint
	Scripts/lint

format:
	@Scripts/bootstrap lint
	$(SWIFT) format -i -r Sources Tests Fuzz/Sources Benchmarks Package.swift Fuzz/Package.swift
	git ls-files 'Sources/*.[ch]' 'Tests/*.[ch]' 'Fuzz/*.c' | xargs clang-format -i

# Address and undefined-behaviour sanitizers over all decoding tests, without package dependencies. Long model tests of
# pure Swift code, which is memory-safe, are skipped; the C program of CContractTests is built with the sanitizers itself.
NOT_SANITIZED = MemoryCacheModelTests|AvailableMemoryTests|DecodeBudgetTests|CContractTests

asan: bootstrap
	CC=clang CFLAGS="-g -fsanitize=address,undefined -fno-sanitize-recover=undefined" LDFLAGS=-fuse-ld=lld \
		Tests/CImageCodecsTests/run .build-c-tests-asan
	LSAN_OPTIONS=suppressions=$(CURDIR)/Scripts/lsan.supp:print_suppressions=0 SWIFT=$(SWIFT) \
		Scripts/test $(SANITIZE) --skip '$(NOT_SANITIZED)'

# Loader suites that run on scripted transports; those of the HTTP transport and of real servers need NIO.
TSAN_LOADING = Coalescing|Configuration|Load[A-Z]|Lookup|MemoryHit|PassThrough|Prefetch|RequestModifier|Resume
TSAN_PARTS = Credentials|ImageSlot|LaneSchedule|Negative|Redirect|RequestLanes|Retry

tsan: bootstrap
	@SWIFT=$(SWIFT) Scripts/test --traits Loader --scratch-path .build-tsan --sanitize=thread -Xswiftc -DTHREAD_SANITIZER \
		--filter 'DecodeQueue|MemoryCache|PlatformImageTests.ConcurrencyTests|LoaderTests.(Disk[A-Z]|$(TSAN_LOADING)|$(TSAN_PARTS))[A-Za-z]*Tests'

# Fuzzes each target for SECONDS_EACH (600) seconds, JOBS in parallel.
fuzz: bootstrap
	CORPUS=$(CORPUS) Fuzz/run

# Decodes COUNT mutated corpus files (random truncations and bit flips) in a release build, with time and memory limits.
mutate: tool
	CORPUS=$(CORPUS) Scripts/mutate

corpus: tool
	@CORPUS=$(CORPUS) Scripts/corpus

# Decoding against the plain C libraries, each ratio with its target; writes Docs/benchmarks.
bench: tool
	@Scripts/bench

# The same images with Pillow, pyvips, OpenCV and imagecodecs, installed in a virtual environment.
bench-peers: tool
	@Scripts/bench-peers

# Compares instruction counts of a fixed set of operations with stored figures; independent of the clock. Needs
# valgrind.
instructions: bootstrap
	-@Scripts/bootstrap check
	@SWIFT=$(SWIFT) Scripts/instructions

# Peak memory of full decodes, with its bounds.
peak: tool
	@Scripts/peak-memory

# CPU time and peak memory of the worst known file of each format, with bounds. ARGUMENTS='tiff gif' selects by name.
worst-inputs: tool
	@Scripts/worst-inputs $(ARGUMENTS)

# The loader against plain AsyncHTTPClient, on loopback.
bench-load: tool
	@Scripts/bench-load

# The resampler against Pillow's, and both against a float64 reference.
bench-resize: tool
	@Scripts/bench-resize

# Thumbnails against vipsthumbnail, Pillow, GraphicsMagick and ImageMagick, each figure with its target.
bench-thumb: tool
	@Scripts/bench-thumb

# Tools with the thumbnail service, which the default traits leave out; the targets below use them.
SERVICE_TOOL = .build-service/release/imagetool
SERVICE_BUILD = -c release $(STATIC) --traits default,Service --scratch-path .build-service

service-tool: bootstrap
	@$(SWIFT) build $(SERVICE_BUILD) --product imagetool
	@$(SWIFT) build $(SERVICE_BUILD) --product imagetool-bench

# Demonstrates the thumbnail service: a table of targets of both dialects, then the gallery until Ctrl-C.
demo-service: service-tool
	@$(SERVICE_TOOL)-bench demo-service

# Tests the gallery's 1,000 images in headless Chromium. ARGUMENTS='--screenshots FOLDER' saves screenshots.
check-gallery: service-tool
	@Scripts/bootstrap gallery
	@IMAGETOOL=$(SERVICE_TOOL) Scripts/check-gallery $(ARGUMENTS)

# The thumbnail service against thumbor and nginx: CPU, latency and memory, each figure with its threshold.
# ARGUMENTS=--write updates Docs/service-benchmarks.md.
bench-service: service-tool
	@IMAGETOOL=$(SERVICE_TOOL) Scripts/bench-service $(ARGUMENTS)

# CPU seconds and peak memory of the worst known requests to the service. ARGUMENTS='X5 X6' selects some of them.
service-costs: service-tool
	@IMAGETOOL=$(SERVICE_TOOL) Scripts/service-costs $(ARGUMENTS)

# Compares the service's responses with thumbor's: status, size, format and pixels for the same targets.
check-thumbor: service-tool
	@IMAGETOOL=$(SERVICE_TOOL) Scripts/check-thumbor

# Tests deploy/nginx.conf with two instances, one of which is killed under load.
check-nginx-tier: service-tool
	@IMAGETOOL=$(SERVICE_TOOL) Scripts/check-nginx-tier

# Tests the address guard in network namespaces: no packet may reach the internal host. Needs root.
check-guard-network: service-tool
	@IMAGETOOL=$(SERVICE_TOOL) Scripts/check-guard-network

# 200,000 loads with random cancellation; checks memory, descriptors and internal tables afterwards.
soak: tool
	@Scripts/soak

# 200 concurrent decodes of 12 megapixels: peak resident memory against budget and cache.
budget: tool
	@Scripts/budget

docs:
	PLATFORMIMAGE_DOCS=1 $(SWIFT) package --traits Loader --scratch-path .build-docs generate-documentation \
		--target PlatformImage --target PlatformImageLoader --enable-experimental-combined-documentation

# Everything that CI runs, and checks that are too slow for CI.
check: lint test traits linkage linkage-tool asan tsan corpus instructions

# Without traits no package is resolved; debug and release builds compile without warnings.
traits: bootstrap
	Scripts/traits

linkage: bootstrap
	Scripts/linkage

# Verifies that both tools are linked with full RELRO and without a library search path (RUNPATH).
linkage-tool: tool
	Scripts/linkage tool

# Decodes the encoders' output with Pillow and djpeg.
check-encoders: bootstrap
	@Scripts/check-encoders

fixtures:
	python3 Fixtures/make/make.py --check
