/* SPDX-License-Identifier: MIT */
/* The first process of the test's guest: finds the ivshmem device, runs the program that the kernel's command line
 * names in GUEST_COMMAND (words between commas), says how it ended, and switches the machine off. With GUEST_SHIP the
 * file that this names goes out through the second serial line, for want of a shared device. */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#define DEVICES "/sys/bus/pci/devices"

static unsigned read_number(const char *device, const char *name)
{
	char path[512];
	unsigned value = 0;

	snprintf(path, sizeof path, DEVICES "/%s/%s", device, name);
	FILE *file = fopen(path, "r");
	if (file == NULL || fscanf(file, "%x", &value) != 1)
		value = 0;
	if (file != NULL)
		fclose(file);
	return value;
}

static void enable(const char *device)
{
	char path[512];

	snprintf(path, sizeof path, DEVICES "/%s/enable", device);
	FILE *file = fopen(path, "w");
	if (file == NULL || fputs("1", file) < 0 || fclose(file) != 0)
		printf("guest: cannot enable %s\n", device);
}

static void find_log(void)
{
	char log[512];
	DIR *devices = opendir(DEVICES);
	struct dirent *entry;

	while (devices != NULL && (entry = readdir(devices)) != NULL) {
		if (read_number(entry->d_name, "vendor") != 0x1af4 || read_number(entry->d_name, "device") != 0x1110)
			continue;
		enable(entry->d_name);
		snprintf(log, sizeof log, DEVICES "/%s/resource2:", entry->d_name);
		setenv("TEE_PERF_LOG", log, 1);
		printf("guest: log at %s\n", log);
	}
	if (devices != NULL)
		closedir(devices);
}

static int run(char *words)
{
	char *argument[64] = { NULL };
	unsigned count = 0;
	int status = -1;

	for (char *word = strtok(words, ","); word != NULL && count < 63; word = strtok(NULL, ","))
		argument[count++] = word;
	fflush(stdout);
	pid_t child = fork();
	if (child == 0) {
		execv(argument[0], argument);
		perror(argument[0]);
		_exit(127);
	}
	if (child < 0 || waitpid(child, &status, 0) != child)
		return -1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void ship(const char *path)
{
	char buffer[4096];
	struct termios raw;
	ssize_t got;
	int from = open(path, O_RDONLY), to = open("/dev/ttyS1", O_WRONLY | O_NOCTTY);

	if (from < 0 || to < 0 || tcgetattr(to, &raw) != 0) {
		printf("guest: cannot ship %s\n", path);
		return;
	}
	cfmakeraw(&raw);
	tcsetattr(to, TCSANOW, &raw);
	while ((got = read(from, buffer, sizeof buffer)) > 0)
		for (ssize_t done = 0, n; done < got; done += n)
			if ((n = write(to, buffer + done, (size_t)(got - done))) <= 0)
				return;
	tcdrain(to);
}

int main(void)
{
	mkdir("/proc", 0755);
	mkdir("/sys", 0755);
	mkdir("/dev", 0755);
	mkdir("/tmp", 0777);
	if (mount("proc", "/proc", "proc", 0, NULL) != 0 || mount("sysfs", "/sys", "sysfs", 0, NULL) != 0)
		printf("guest: cannot mount proc and sys\n");
	mknod("/dev/ttyS1", S_IFCHR | 0600, makedev(4, 65));
	mknod("/dev/null", S_IFCHR | 0666, makedev(1, 3));
	find_log();
	const char *command = getenv("GUEST_COMMAND"), *file = getenv("GUEST_SHIP");
	char words[1024] = "";
	if (command != NULL)
		snprintf(words, sizeof words, "%s", command);
	int status = words[0] != '\0' ? run(words) : -1;
	if (file != NULL)
		ship(file);
	printf("guest: status %d\n", status);
	fflush(stdout);
	sync();
	reboot(RB_POWER_OFF);
	return 1;
}
