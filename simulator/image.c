/* SPDX-License-Identifier: MIT */
/* The names of the trusted part's functions, from its file, for the recorder: the enclave itself says nothing of them.
 */
#include "simulator/internal.h"

#include <elf.h>
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

struct file {
	const char *bytes;
	uint64_t size;
};

struct part {
	const char *begin;
	uint64_t address, size;
};

static bool within(const struct file *file, uint64_t offset, uint64_t size)
{
	return offset <= file->size && size <= file->size - offset;
}

/* Section `name`; size 0: there is none. */
static struct part find_section(const struct file *file, const char *name)
{
	const Elf64_Ehdr *header = (const void *)file->bytes;
	struct part part = { 0 };

	if (!within(file, 0, sizeof *header) || header->e_shoff % 8 != 0 || header->e_shentsize != sizeof(Elf64_Shdr) ||
	    header->e_shstrndx >= header->e_shnum ||
	    !within(file, header->e_shoff, header->e_shnum * sizeof(Elf64_Shdr)))
		return part;
	const Elf64_Shdr *table = (const void *)(file->bytes + header->e_shoff);
	const Elf64_Shdr *names = &table[header->e_shstrndx];
	size_t length = strlen(name) + 1;
	if (!within(file, names->sh_offset, names->sh_size))
		return part;
	for (unsigned i = 0; i < header->e_shnum; i++) {
		if (table[i].sh_name > names->sh_size || length > names->sh_size - table[i].sh_name ||
		    memcmp(file->bytes + names->sh_offset + table[i].sh_name, name, length) != 0 ||
		    table[i].sh_type == SHT_NOBITS || !within(file, table[i].sh_offset, table[i].sh_size))
			continue;
		part = (struct part){ file->bytes + table[i].sh_offset, table[i].sh_addr, table[i].sh_size };
		break;
	}
	return part;
}

static struct part find_build_id(const struct file *file)
{
	struct part note = find_section(file, ".note.gnu.build-id");
	const Elf64_Nhdr *header = (const void *)note.begin;

	if (note.size < sizeof *header + 4 || header->n_namesz != 4 ||
	    header->n_descsz > note.size - sizeof *header - 4)
		return (struct part){ 0 };
	return (struct part){ note.begin + sizeof *header + 4, 0, header->n_descsz };
}

static uint64_t padded(uint64_t bytes)
{
	return (bytes + 7) & ~UINT64_C(7);
}

static int append(const struct file *file, const char *path, uint64_t bias, struct tee_perf_log_segment *segment,
		  uint64_t module_bytes, uint64_t clock)
{
	struct part map = find_section(file, "tee_perf_map"), strings = find_section(file, "tee_perf_str");
	struct part name = { path, 0, strlen(path) + 1 }, build_id = find_build_id(file);
	const struct part *part[] = { &map, &strings, &name, &build_id };
	uint64_t used = segment->module_written, bytes = sizeof(struct tee_perf_module_header);
	char *area = (char *)(segment + 1);

	if (map.size == 0)
		return 0; /* no function of it is recorded */
	for (int i = 0; i < 4; i++)
		bytes += padded(part[i]->size);
	if (used > module_bytes || bytes > module_bytes - used)
		return sim_fail("%s: its names do not fit into the log", path);
	struct tee_perf_module_header header = { .bytes = bytes,
						 .type = TEE_PERF_MODULE_LOAD,
						 .module = 0,
						 .clock = clock,
						 .map_begin = bias + map.address,
						 .map_bytes = map.size,
						 .strings_begin = bias + strings.address,
						 .strings_bytes = strings.size,
						 .load_bias = bias,
						 .path_bytes = name.size,
						 .build_id_bytes = build_id.size };
	memcpy(area + used, &header, sizeof header);
	uint64_t at = used + sizeof header;
	for (int i = 0; i < 4; at += padded(part[i]->size), i++)
		memcpy(area + at, part[i]->begin, part[i]->size);
	sim_store(&segment->module_written, used + bytes);
	return 0;
}

int sim_image_describe(int fd, const char *path, uint64_t bias, struct tee_perf_log_segment *segment,
		       uint64_t module_bytes, uint64_t clock)
{
	struct stat status;

	if (fstat(fd, &status) != 0 || status.st_size == 0)
		return sim_fail("cannot read %s: %s", path, strerror(errno));
	struct file file = { .size = (uint64_t)status.st_size };
	file.bytes = mmap(NULL, file.size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (file.bytes == MAP_FAILED)
		return sim_fail("cannot map %s: %s", path, strerror(errno));
	int result = append(&file, path, bias, segment, module_bytes, clock);
	munmap((void *)file.bytes, file.size);
	return result;
}
