/* SPDX-License-Identifier: MIT */
/* Images that gcc compiled (cyg.c): where their code lies goes into the module area, and where that of all others does,
 * as an inlined function's address may be that of another image's copy. Names are the recorder's business, which reads
 * the files' symbol tables. */
#include "runtime/platform/hosted.h"

#include <elf.h>
#include <link.h>
#include <sys/auxv.h>

#define TEXT_MAX 2048

#define IMAGE_MAX 1024

static struct {
	struct tee_perf_text_image *image[IMAGE_MAX]; /* with hooks; NULL: unloaded */
	unsigned image_count;
	struct {
		uintptr_t begin; /* of the code */
		uint32_t bytes;
		uint64_t identity;
		const struct tee_perf_text_image *image; /* NULL: it has no hooks of gcc's, or is gone */
	} text[TEXT_MAX];                                /* that were written; the index is the number */
	unsigned count;
} texts;

struct search {
	struct tee_perf_text_image *image;
	bool first; /* the executable comes first */
	bool conflicts;
};

/* What lies at the same place later may be another file. */
static uint64_t identity_of(const struct dl_phdr_info *info, const uint8_t *build_id, size_t bytes)
{
	uint64_t hash = 0xcbf29ce484222325u;

	for (size_t i = 0; i < bytes; i++)
		hash = (hash ^ build_id[i]) * 0x100000001b3u;
	for (const char *c = info->dlpi_name; *c != '\0'; c++)
		hash = (hash ^ (unsigned char)*c) * 0x100000001b3u;
	return hash;
}

static void code_range(const struct dl_phdr_info *info, uintptr_t *begin, uintptr_t *end, const void **frame_table)
{
	*begin = UINTPTR_MAX;
	*end = 0;
	*frame_table = NULL;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
		uintptr_t low = info->dlpi_addr + segment->p_vaddr, high = low + segment->p_memsz;
		if (segment->p_type == PT_GNU_EH_FRAME)
			*frame_table = (const void *)low;
		if (segment->p_type != PT_LOAD || (segment->p_flags & PF_X) == 0)
			continue;
		*begin = low < *begin ? low : *begin;
		*end = high > *end ? high : *end;
	}
}

/* Its number; count: it is new; -1: there is nothing to do. */
static int find_text(uintptr_t begin, uint64_t identity, bool has_hooks)
{
	int free_place = -1;

	for (unsigned i = 0; i < texts.count; i++) {
		if (texts.text[i].begin == begin && texts.text[i].identity == identity)
			return has_hooks ? (int)i : -1;
		if (texts.text[i].begin == begin)
			free_place = (int)i;
	}
	if (free_place >= 0)
		return free_place;
	return texts.count < TEXT_MAX ? (int)texts.count : -1;
}

bool tee_perf_hosted_text_taken(uint32_t begin, uint32_t bytes)
{
	for (unsigned i = 0; i < texts.count; i++) {
		uint32_t other = (uint32_t)texts.text[i].begin;
		if (texts.text[i].image != NULL && (begin - other < texts.text[i].bytes || other - begin < bytes))
			return true;
	}
	return false;
}

/* An image's own code: records name it from now on. */
static void note_own(struct search *search, int number, uintptr_t begin, uintptr_t end)
{
	uint32_t bytes = (uint32_t)(end - begin);

	search->conflicts =
	    tee_perf_hosted_map_taken((uint32_t)begin, bytes) || tee_perf_hosted_text_taken((uint32_t)begin, bytes);
	if (!search->conflicts)
		texts.text[number].image = search->image;
}

static int note_image(struct dl_phdr_info *info, size_t size, void *data)
{
	struct search *search = data;
	uintptr_t begin, end, inside = (uintptr_t)search->image->inside;
	const void *frame_table;
	size_t build_id_bytes;
	/* The kernel's own image has a name that is no file's. */
	bool is_file = search->first || (info->dlpi_name[0] != '\0' && info->dlpi_addr != getauxval(AT_SYSINFO_EHDR));

	(void)size;
	search->first = false;
	code_range(info, &begin, &end, &frame_table);
	if (begin >= end || !is_file)
		return 0;
	bool has_hooks = inside >= begin && inside < end;
	const uint8_t *build_id = tee_perf_hosted_build_id(info, &build_id_bytes);
	uint64_t identity = identity_of(info, build_id, build_id_bytes);
	int number = find_text(begin, identity, has_hooks);
	if (has_hooks)
		search->image->frame_table = frame_table;
	if (number < 0)
		return 0;
	bool used_before = (unsigned)number < texts.count && texts.text[number].identity != identity;
	texts.text[number].begin = begin;
	texts.text[number].bytes = (uint32_t)(end - begin);
	texts.text[number].identity = identity;
	texts.count += (unsigned)number == texts.count;
	if (used_before) /* records of what lay there before have an earlier time */
		tee_perf_hosted_wait_for_clock();
	if (has_hooks)
		note_own(search, number, begin, end);
	bool conflicts = has_hooks && search->conflicts;
	struct tee_perf_module_header header = {
		.type = conflicts   ? TEE_PERF_MODULE_CONFLICT
			: has_hooks ? TEE_PERF_MODULE_TEXT
				    : TEE_PERF_MODULE_SYMBOLS,
		.module = (uint64_t)number,
		.clock = host_time(tee_perf_state.host),
		.map_begin = begin,
		.map_bytes = conflicts ? 0 : end - begin,
		.load_bias = info->dlpi_addr,
		.build_id_bytes = build_id_bytes,
	};
	tee_perf_hosted_append_text(&header, info->dlpi_name, build_id);
	return 0;
}

/* False: its addresses are another image's in records, so it stays switched off. */
static bool write_image(struct tee_perf_text_image *image)
{
	struct search search = { .image = image, .first = true };

	dl_iterate_phdr(note_image, &search);
	return !search.conflicts;
}

void tee_perf_hosted_texts_attached(void)
{
	for (unsigned i = 0; i < texts.count; i++)
		texts.text[i].image = NULL;
	texts.count = 0;
	for (unsigned i = 0; i < texts.image_count; i++)
		if (texts.image[i] != NULL && texts.image[i]->recording != 0)
			write_image(texts.image[i]);
}

__attribute__((visibility("default"))) void tee_perf_text_register(struct tee_perf_text_image *image)
{
	tee_perf_hosted_start();
	if (image->abi_version != TEE_PERF_ABI_VERSION || tee_perf_state.host == NULL || texts.image_count == IMAGE_MAX)
		return;
	texts.image[texts.image_count++] = image;
	if (write_image(image))
		image->recording = UINT32_MAX;
}

/* Its place may be another file's next time. */
__attribute__((visibility("default"))) void tee_perf_text_unregister(const struct tee_perf_text_image *image)
{
	for (unsigned i = 0; i < texts.image_count; i++)
		if (texts.image[i] == image)
			texts.image[i] = NULL;
	for (unsigned i = 0; i < texts.count; i++)
		if (texts.text[i].image == image)
			texts.text[i].image = NULL;
}
