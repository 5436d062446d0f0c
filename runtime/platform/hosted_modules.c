/* SPDX-License-Identifier: MIT */
/* The module table: each instrumented image's map entries and names go into the segment when the image
 * registers, so that nobody needs its file later. */
#include "runtime/platform/hosted.h"

#include "syscall.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stddef.h>
#include <sys/syscall.h>

#define IMAGE_MAX 1024
#define AREA_PAGE ((uintptr_t)4096)

/* A place is used again when its image has gone; until then it says which addresses that had. */
struct registered {
	const struct tee_perf_image *image; /* NULL: unloaded */
	uint32_t begin, bytes;              /* of its map section, as records name it */
	unsigned number;                    /* the module's, from 0 */
	bool conflicts;                     /* with one that was there first: it is switched off */
};

static struct {
	struct registered place[IMAGE_MAX];
	unsigned used, count; /* places ever used; images so far */
} images;

/* What the loader knows of an image. */
struct origin {
	const void *address; /* in: an address within it */
	uintptr_t bias;
	const char *path;
	const uint8_t *build_id;
	size_t build_id_bytes;
};

static const uint8_t *find_build_id(const char *note, const char *end, size_t *bytes)
{
	while (note + sizeof(ElfW(Nhdr)) <= end) {
		const ElfW(Nhdr) *header = (const void *)note;
		const char *name = note + sizeof *header, *content = name + ((header->n_namesz + 3u) & ~3u);
		if (header->n_type == NT_GNU_BUILD_ID && header->n_namesz == 4 && name[0] == 'G' && name[1] == 'N') {
			*bytes = header->n_descsz;
			return (const uint8_t *)content;
		}
		note = content + ((header->n_descsz + 3u) & ~3u);
	}
	return NULL;
}

const uint8_t *tee_perf_hosted_build_id(const struct dl_phdr_info *info, size_t *bytes)
{
	const uint8_t *found = NULL;

	*bytes = 0;
	for (int i = 0; i < info->dlpi_phnum && found == NULL; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
		const char *note = (const char *)(info->dlpi_addr + segment->p_vaddr);
		if (segment->p_type == PT_NOTE)
			found = find_build_id(note, note + segment->p_memsz, bytes);
	}
	return found;
}

static int match_image(struct dl_phdr_info *info, size_t size, void *data)
{
	struct origin *origin = data;
	bool inside = false;

	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
		uintptr_t begin = info->dlpi_addr + segment->p_vaddr;
		if (segment->p_type == PT_LOAD && (uintptr_t)origin->address - begin < segment->p_memsz)
			inside = true;
	}
	if (!inside)
		return 0;
	origin->bias = info->dlpi_addr;
	origin->path = info->dlpi_name;
	origin->build_id = tee_perf_hosted_build_id(info, &origin->build_id_bytes);
	return 1;
}

static int match_executable(struct dl_phdr_info *info, size_t size, void *data)
{
	match_image(info, size, data);
	return 1; /* it comes first */
}

/* The policy of a process is that of its executable: the runtime's own constant is of this library. */
static void take_policy(const struct tee_perf_image *image)
{
	struct origin origin = { .address = image };

	if (image->size < sizeof *image || image->policy == NULL)
		return;
	dl_iterate_phdr(match_executable, &origin);
	if (origin.path != NULL)
		tee_perf_set_policy(image->policy);
}

/* ---- writing into the module area by whole words */

struct area {
	uint64_t *words;
	uint64_t used, limit; /* bytes */
};

static void append(struct area *area, const void *data, size_t bytes)
{
	const uint8_t *from = data;

	for (size_t i = 0; i < bytes; i += 8) {
		uint64_t word = 0;
		for (unsigned k = 0; k < 8 && i + k < bytes; k++)
			word |= (uint64_t)from[i + k] << 8 * k;
		host_write(area->words + area->used / 8, word);
		area->used += 8;
	}
}

static uint64_t padded(uint64_t bytes)
{
	return (bytes + 7) & ~UINT64_C(7);
}

static uint64_t area_limit; /* 0: all of it */

static uint64_t area_bytes(void)
{
	return tee_perf_state.slots - (uintptr_t)(tee_perf_state.segment + 1);
}

/* Without access until used, so that mlockall does not fill it. */
static bool open_area(uint64_t used, uint64_t bytes)
{
	uintptr_t area = (uintptr_t)(tee_perf_state.segment + 1);
	uintptr_t begin = (area + used) & ~(AREA_PAGE - 1),
		  end = (area + used + bytes + AREA_PAGE - 1) & ~(AREA_PAGE - 1);

	return tee_perf_platform_open_memory(begin, end - begin);
}

void tee_perf_hosted_limit_modules(uint64_t room)
{
	uint64_t used = host_read(&tee_perf_state.segment->module_written), bytes = area_bytes();

	if (area_limit != 0 || used >= bytes || room >= bytes - used)
		return;
	area_limit = (used + room) & ~(AREA_PAGE - 1);
	tee_perf_hosted_give_back((uintptr_t)(tee_perf_state.segment + 1) + area_limit, tee_perf_state.slots);
}

static void append_module(const struct tee_perf_module_header *header, const struct tee_perf_image *image,
			  const struct origin *origin)
{
	struct tee_perf_log_segment *segment = tee_perf_state.segment;
	struct area area = { .words = (uint64_t *)(segment + 1),
			     .used = host_read(&segment->module_written),
			     .limit = area_limit != 0 ? area_limit : area_bytes() };

	if (area.used % 8 != 0 || area.used > area.limit || header->bytes > area.limit - area.used ||
	    !open_area(area.used, header->bytes))
		return;
	append(&area, header, sizeof *header);
	if (header->type == TEE_PERF_MODULE_LOAD) {
		append(&area, image->map_begin, header->map_bytes);
		append(&area, image->strings_begin, header->strings_bytes);
	}
	if (header->type != TEE_PERF_MODULE_UNLOAD) {
		append(&area, origin->path, header->path_bytes);
		append(&area, origin->build_id, header->build_id_bytes);
	}
	host_write(&segment->module_written, area.used);
}

static size_t length(const char *text)
{
	size_t n = 0;

	while (text[n] != '\0')
		n++;
	return n;
}

static const char *executable_path(char *path, size_t size)
{
	long got = arch_syscall6(SYS_readlinkat, AT_FDCWD, (long)"/proc/self/exe", (long)path, (long)size - 1, 0, 0);

	path[got > 0 ? got : 0] = '\0';
	return path;
}

/* An object that was opened by a relative path. */
static const char *absolute_path(const char *path, char *whole, size_t size)
{
	long got = arch_syscall6(SYS_getcwd, (long)whole, (long)size, 0, 0, 0, 0);

	while (path[0] == '.' && path[1] == '/')
		path += 2;
	size_t used = got > 0 ? (size_t)got - 1 : 0, wanted = length(path) + 1;

	if (got <= 0 || used + 1 + wanted > size)
		return path;
	whole[used++] = '/';
	for (size_t i = 0; i < wanted; i++)
		whole[used + i] = path[i];
	return whole;
}

void tee_perf_hosted_append_text(struct tee_perf_module_header *header, const char *path, const uint8_t *build_id)
{
	struct origin origin = { .path = path, .build_id = build_id };
	char whole[1024];

	if (path[0] == '\0')
		origin.path = executable_path(whole, sizeof whole);
	else if (path[0] != '/')
		origin.path = absolute_path(path, whole, sizeof whole);
	header->path_bytes = length(origin.path) + 1;
	header->bytes = sizeof *header + padded(header->path_bytes) + padded(header->build_id_bytes);
	append_module(header, NULL, &origin);
}

static void write_load(const struct registered *module)
{
	const struct tee_perf_image *image = module->image;
	struct origin origin = { .address = image->map_begin, .path = "" };
	char whole[1024];

	dl_iterate_phdr(match_image, &origin);
	if (origin.path[0] == '\0')
		origin.path = executable_path(whole, sizeof whole);
	else if (origin.path[0] != '/')
		origin.path = absolute_path(origin.path, whole, sizeof whole);
	struct tee_perf_module_header header = {
		.type = module->conflicts ? TEE_PERF_MODULE_CONFLICT : TEE_PERF_MODULE_LOAD,
		.module = module->number,
		.clock = host_time(tee_perf_state.host),
		.map_begin = (uintptr_t)image->map_begin,
		.map_bytes = module->conflicts ? 0 : module->bytes,
		.strings_begin = (uintptr_t)image->strings_begin,
		.strings_bytes = module->conflicts ? 0 : (uint64_t)(image->strings_end - image->strings_begin),
		.load_bias = origin.bias,
		.path_bytes = length(origin.path) + 1,
		.build_id_bytes = origin.build_id_bytes,
	};
	header.bytes = sizeof header + padded(header.map_bytes) + padded(header.strings_bytes) +
		       padded(header.path_bytes) + padded(header.build_id_bytes);
	append_module(&header, image, &origin);
}

void tee_perf_hosted_modules_attached(void)
{
	area_limit = 0;
	host_write(&tee_perf_state.segment->module_written, 0);
	for (unsigned i = 0; i < images.used; i++)
		if (images.place[i].image != NULL)
			write_load(&images.place[i]);
	tee_perf_hosted_texts_attached();
}

/* ---- images come and go; the loader's lock is held */

static bool overlap(const struct registered *a, const struct registered *b)
{
	return a->begin - b->begin < b->bytes || b->begin - a->begin < a->bytes;
}

/* Records of the image that had the addresses before it have an earlier time than those of this one, once the host has
 * published another. It does so all the time; bounded, as it may be gone. */
void tee_perf_hosted_wait_for_clock(void)
{
	const uint64_t *clock = &tee_perf_state.host->clock;
	uint64_t before = host_read(clock);

	for (int i = 0; i < 500 && host_read(clock) == before; i++)
		tee_perf_hosted_nap(100 * 1000);
}

bool tee_perf_hosted_map_taken(uint32_t begin, uint32_t bytes)
{
	const struct registered range = { .begin = begin, .bytes = bytes };

	for (unsigned i = 0; i < images.used; i++)
		if (images.place[i].image != NULL && !images.place[i].conflicts && overlap(&range, &images.place[i]))
			return true;
	return false;
}

static struct registered *find_place(void)
{
	if (images.used < IMAGE_MAX)
		return &images.place[images.used++];
	for (unsigned i = 0; i < IMAGE_MAX; i++) { /* the one that has been empty for longest */
		struct registered *place = &images.place[(images.count + i) % IMAGE_MAX];
		if (place->image == NULL)
			return place;
	}
	return NULL;
}

static struct registered *enter(const struct tee_perf_image *image)
{
	struct registered entered = { .image = image,
				      .begin = (uint32_t)(uintptr_t)image->map_begin,
				      .bytes = (uint32_t)((uintptr_t)image->map_end - (uintptr_t)image->map_begin),
				      .number = images.count };
	bool used_before = false;

	for (unsigned i = 0; i < images.used; i++) {
		const struct registered *other = &images.place[i];
		if (!overlap(&entered, other))
			continue;
		used_before |= other->image == NULL;
		entered.conflicts |= other->image != NULL && !other->conflicts;
	}
	entered.conflicts |= tee_perf_hosted_text_taken(entered.begin, entered.bytes);
	if (used_before && tee_perf_state.host != NULL)
		tee_perf_hosted_wait_for_clock();
	struct registered *place = find_place();
	if (place != NULL) {
		images.count++;
		*place = entered;
	}
	return place;
}

__attribute__((visibility("default"))) void tee_perf_image_register(const struct tee_perf_image *image)
{
	bool attached = tee_perf_state.host != NULL, ours = image->abi_version == TEE_PERF_ABI_VERSION;
	struct registered *module = NULL;

	if (ours) {
		module = enter(image);
		take_policy(image);
	}
	tee_perf_hosted_start(); /* if it attaches, it writes all that are registered, and then shows the process */
	if (!ours)
		return;
	/* Attaching happens at the start or never, so an image's hooks are passed by for good. */
	bool recording = tee_perf_state.host != NULL && module != NULL && !module->conflicts;
	((struct tee_perf_image *)image)->recording = recording ? UINT32_MAX : 0;
	if (attached && module != NULL)
		write_load(module);
}

__attribute__((visibility("default"))) void tee_perf_image_unregister(const struct tee_perf_image *image)
{
	for (unsigned i = 0; i < images.used; i++) {
		struct registered *module = &images.place[i];
		if (module->image != image)
			continue;
		module->image = NULL;
		if (tee_perf_state.host != NULL && !module->conflicts) {
			struct tee_perf_module_header header = { .bytes = sizeof header,
								 .type = TEE_PERF_MODULE_UNLOAD,
								 .module = module->number,
								 .clock = host_time(tee_perf_state.host) };
			append_module(&header, image, NULL);
		}
	}
}
